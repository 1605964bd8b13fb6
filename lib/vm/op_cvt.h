/* op_cvt.h */
