/* op_int.h */
