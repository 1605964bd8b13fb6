/* op_float.h */
