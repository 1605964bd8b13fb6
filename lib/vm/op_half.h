/* op_half.h */
