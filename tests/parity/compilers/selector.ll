; What LLVM's instruction selector makes of plain IR: atomics, vectors, address spaces, calls, conversions, inline asm.
target triple = "nvptx64-nvidia-cuda"
@g = addrspace(1) global [64 x i32] zeroinitializer, align 16
@s = internal addrspace(3) global [64 x i32] undef, align 16
@c = addrspace(4) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
@p = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @g to ptr), align 8
%pair = type { i32, double, [3 x i8], <2 x half> }
declare %pair @other(%pair, i8 signext, i16 zeroext, i1, i128, ...)
declare i32 @varied(i32, ...)

define void @s1(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw xchg ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s2(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw xchg ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s3(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw xchg ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s4(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw add ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s5(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw add ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s6(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw add ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s7(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw sub ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s8(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw sub ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s9(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw sub ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s10(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw and ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s11(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw and ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s12(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw and ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s13(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw or ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s14(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw or ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s15(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw or ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s16(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw xor ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s17(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw xor ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s18(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw xor ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s19(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw max ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s20(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw max ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s21(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw max ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s22(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw min ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s23(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw min ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s24(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw min ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s25(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw umax ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s26(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw umax ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s27(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw umax ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s28(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw umin ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s29(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw umin ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s30(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw umin ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s31(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s32(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s33(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s34(ptr %p, i32 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s35(ptr addrspace(1) %p, i32 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr addrspace(1) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s36(ptr addrspace(3) %p, i32 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr addrspace(3) %p, i32 %v seq_cst
  store i32 %r, ptr %o
  ret void
}

define void @s37(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw xchg ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s38(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw xchg ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s39(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw xchg ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s40(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw add ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s41(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw add ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s42(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw add ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s43(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw sub ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s44(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw sub ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s45(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw sub ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s46(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw and ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s47(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw and ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s48(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw and ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s49(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw or ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s50(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw or ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s51(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw or ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s52(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw xor ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s53(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw xor ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s54(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw xor ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s55(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw max ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s56(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw max ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s57(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw max ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s58(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw min ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s59(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw min ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s60(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw min ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s61(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw umax ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s62(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw umax ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s63(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw umax ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s64(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw umin ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s65(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw umin ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s66(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw umin ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s67(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s68(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s69(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw uinc_wrap ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s70(ptr %p, i64 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s71(ptr addrspace(1) %p, i64 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr addrspace(1) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s72(ptr addrspace(3) %p, i64 %v, ptr %o) {
  %r = atomicrmw udec_wrap ptr addrspace(3) %p, i64 %v seq_cst
  store i64 %r, ptr %o
  ret void
}

define void @s73(ptr %p, float %v, ptr %o) {
  %r = atomicrmw fadd ptr %p, float %v seq_cst
  store float %r, ptr %o
  ret void
}

define void @s74(ptr addrspace(1) %p, float %v, ptr %o) {
  %r = atomicrmw fadd ptr addrspace(1) %p, float %v seq_cst
  store float %r, ptr %o
  ret void
}

define void @s75(ptr addrspace(3) %p, float %v, ptr %o) {
  %r = atomicrmw fadd ptr addrspace(3) %p, float %v seq_cst
  store float %r, ptr %o
  ret void
}

define void @s76(ptr %p, double %v, ptr %o) {
  %r = atomicrmw fadd ptr %p, double %v seq_cst
  store double %r, ptr %o
  ret void
}

define void @s77(ptr addrspace(1) %p, double %v, ptr %o) {
  %r = atomicrmw fadd ptr addrspace(1) %p, double %v seq_cst
  store double %r, ptr %o
  ret void
}

define void @s78(ptr addrspace(3) %p, double %v, ptr %o) {
  %r = atomicrmw fadd ptr addrspace(3) %p, double %v seq_cst
  store double %r, ptr %o
  ret void
}

define void @s79(ptr %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr %p, i8 %a, i8 %b acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s80(ptr %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr %p, i8 %a, i8 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s81(ptr addrspace(1) %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i8 %a, i8 %b acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s82(ptr addrspace(1) %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i8 %a, i8 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s83(ptr addrspace(3) %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i8 %a, i8 %b acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s84(ptr addrspace(3) %p, i8 %a, i8 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i8 %a, i8 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i8, i1 } %x, 0
  store i8 %r, ptr %o
  ret void
}

define void @s85(ptr %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr %p, i16 %a, i16 %b acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s86(ptr %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr %p, i16 %a, i16 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s87(ptr addrspace(1) %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i16 %a, i16 %b acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s88(ptr addrspace(1) %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i16 %a, i16 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s89(ptr addrspace(3) %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i16 %a, i16 %b acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s90(ptr addrspace(3) %p, i16 %a, i16 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i16 %a, i16 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i16, i1 } %x, 0
  store i16 %r, ptr %o
  ret void
}

define void @s91(ptr %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr %p, i32 %a, i32 %b acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s92(ptr %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr %p, i32 %a, i32 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s93(ptr addrspace(1) %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i32 %a, i32 %b acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s94(ptr addrspace(1) %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i32 %a, i32 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s95(ptr addrspace(3) %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i32 %a, i32 %b acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s96(ptr addrspace(3) %p, i32 %a, i32 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i32 %a, i32 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i32, i1 } %x, 0
  store i32 %r, ptr %o
  ret void
}

define void @s97(ptr %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr %p, i64 %a, i64 %b acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s98(ptr %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr %p, i64 %a, i64 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s99(ptr addrspace(1) %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i64 %a, i64 %b acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s100(ptr addrspace(1) %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(1) %p, i64 %a, i64 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s101(ptr addrspace(3) %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i64 %a, i64 %b acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s102(ptr addrspace(3) %p, i64 %a, i64 %b, ptr %o) {
  %x = cmpxchg ptr addrspace(3) %p, i64 %a, i64 %b syncscope("singlethread") acq_rel monotonic
  %r = extractvalue { i64, i1 } %x, 0
  store i64 %r, ptr %o
  ret void
}

define void @s103(ptr %p, ptr %o) {
  %r = load atomic i8, ptr %p unordered, align 8
  store atomic i8 %r, ptr %p unordered, align 8
  ret void
}

define void @s104(ptr %p, ptr %o) {
  %r = load atomic i8, ptr %p monotonic, align 8
  store atomic i8 %r, ptr %p monotonic, align 8
  ret void
}

define void @s105(ptr %p, ptr %o) {
  %r = load volatile i8, ptr %p
  store volatile i8 %r, ptr %p
  ret void
}

define void @s106(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i8, ptr addrspace(1) %p unordered, align 8
  store atomic i8 %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s107(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i8, ptr addrspace(1) %p monotonic, align 8
  store atomic i8 %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s108(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile i8, ptr addrspace(1) %p
  store volatile i8 %r, ptr addrspace(1) %p
  ret void
}

define void @s109(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i8, ptr addrspace(3) %p unordered, align 8
  store atomic i8 %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s110(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i8, ptr addrspace(3) %p monotonic, align 8
  store atomic i8 %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s111(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile i8, ptr addrspace(3) %p
  store volatile i8 %r, ptr addrspace(3) %p
  ret void
}

define void @s112(ptr %p, ptr %o) {
  %r = load atomic i16, ptr %p unordered, align 8
  store atomic i16 %r, ptr %p unordered, align 8
  ret void
}

define void @s113(ptr %p, ptr %o) {
  %r = load atomic i16, ptr %p monotonic, align 8
  store atomic i16 %r, ptr %p monotonic, align 8
  ret void
}

define void @s114(ptr %p, ptr %o) {
  %r = load volatile i16, ptr %p
  store volatile i16 %r, ptr %p
  ret void
}

define void @s115(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i16, ptr addrspace(1) %p unordered, align 8
  store atomic i16 %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s116(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i16, ptr addrspace(1) %p monotonic, align 8
  store atomic i16 %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s117(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile i16, ptr addrspace(1) %p
  store volatile i16 %r, ptr addrspace(1) %p
  ret void
}

define void @s118(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i16, ptr addrspace(3) %p unordered, align 8
  store atomic i16 %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s119(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i16, ptr addrspace(3) %p monotonic, align 8
  store atomic i16 %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s120(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile i16, ptr addrspace(3) %p
  store volatile i16 %r, ptr addrspace(3) %p
  ret void
}

define void @s121(ptr %p, ptr %o) {
  %r = load atomic i32, ptr %p unordered, align 8
  store atomic i32 %r, ptr %p unordered, align 8
  ret void
}

define void @s122(ptr %p, ptr %o) {
  %r = load atomic i32, ptr %p monotonic, align 8
  store atomic i32 %r, ptr %p monotonic, align 8
  ret void
}

define void @s123(ptr %p, ptr %o) {
  %r = load volatile i32, ptr %p
  store volatile i32 %r, ptr %p
  ret void
}

define void @s124(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i32, ptr addrspace(1) %p unordered, align 8
  store atomic i32 %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s125(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i32, ptr addrspace(1) %p monotonic, align 8
  store atomic i32 %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s126(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %r, ptr addrspace(1) %p
  ret void
}

define void @s127(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i32, ptr addrspace(3) %p unordered, align 8
  store atomic i32 %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s128(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i32, ptr addrspace(3) %p monotonic, align 8
  store atomic i32 %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s129(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile i32, ptr addrspace(3) %p
  store volatile i32 %r, ptr addrspace(3) %p
  ret void
}

define void @s130(ptr %p, ptr %o) {
  %r = load atomic i64, ptr %p unordered, align 8
  store atomic i64 %r, ptr %p unordered, align 8
  ret void
}

define void @s131(ptr %p, ptr %o) {
  %r = load atomic i64, ptr %p monotonic, align 8
  store atomic i64 %r, ptr %p monotonic, align 8
  ret void
}

define void @s132(ptr %p, ptr %o) {
  %r = load volatile i64, ptr %p
  store volatile i64 %r, ptr %p
  ret void
}

define void @s133(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i64, ptr addrspace(1) %p unordered, align 8
  store atomic i64 %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s134(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  store atomic i64 %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s135(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile i64, ptr addrspace(1) %p
  store volatile i64 %r, ptr addrspace(1) %p
  ret void
}

define void @s136(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i64, ptr addrspace(3) %p unordered, align 8
  store atomic i64 %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s137(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic i64, ptr addrspace(3) %p monotonic, align 8
  store atomic i64 %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s138(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile i64, ptr addrspace(3) %p
  store volatile i64 %r, ptr addrspace(3) %p
  ret void
}

define void @s139(ptr %p, ptr %o) {
  %r = load atomic float, ptr %p unordered, align 8
  store atomic float %r, ptr %p unordered, align 8
  ret void
}

define void @s140(ptr %p, ptr %o) {
  %r = load atomic float, ptr %p monotonic, align 8
  store atomic float %r, ptr %p monotonic, align 8
  ret void
}

define void @s141(ptr %p, ptr %o) {
  %r = load volatile float, ptr %p
  store volatile float %r, ptr %p
  ret void
}

define void @s142(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic float, ptr addrspace(1) %p unordered, align 8
  store atomic float %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s143(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic float, ptr addrspace(1) %p monotonic, align 8
  store atomic float %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s144(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile float, ptr addrspace(1) %p
  store volatile float %r, ptr addrspace(1) %p
  ret void
}

define void @s145(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic float, ptr addrspace(3) %p unordered, align 8
  store atomic float %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s146(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic float, ptr addrspace(3) %p monotonic, align 8
  store atomic float %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s147(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile float, ptr addrspace(3) %p
  store volatile float %r, ptr addrspace(3) %p
  ret void
}

define void @s148(ptr %p, ptr %o) {
  %r = load atomic double, ptr %p unordered, align 8
  store atomic double %r, ptr %p unordered, align 8
  ret void
}

define void @s149(ptr %p, ptr %o) {
  %r = load atomic double, ptr %p monotonic, align 8
  store atomic double %r, ptr %p monotonic, align 8
  ret void
}

define void @s150(ptr %p, ptr %o) {
  %r = load volatile double, ptr %p
  store volatile double %r, ptr %p
  ret void
}

define void @s151(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic double, ptr addrspace(1) %p unordered, align 8
  store atomic double %r, ptr addrspace(1) %p unordered, align 8
  ret void
}

define void @s152(ptr addrspace(1) %p, ptr %o) {
  %r = load atomic double, ptr addrspace(1) %p monotonic, align 8
  store atomic double %r, ptr addrspace(1) %p monotonic, align 8
  ret void
}

define void @s153(ptr addrspace(1) %p, ptr %o) {
  %r = load volatile double, ptr addrspace(1) %p
  store volatile double %r, ptr addrspace(1) %p
  ret void
}

define void @s154(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic double, ptr addrspace(3) %p unordered, align 8
  store atomic double %r, ptr addrspace(3) %p unordered, align 8
  ret void
}

define void @s155(ptr addrspace(3) %p, ptr %o) {
  %r = load atomic double, ptr addrspace(3) %p monotonic, align 8
  store atomic double %r, ptr addrspace(3) %p monotonic, align 8
  ret void
}

define void @s156(ptr addrspace(3) %p, ptr %o) {
  %r = load volatile double, ptr addrspace(3) %p
  store volatile double %r, ptr addrspace(3) %p
  ret void
}

define void @s157(ptr %p) {
  fence acquire
  ret void
}

define void @s158(ptr %p) {
  fence release
  ret void
}

define void @s159(ptr %p) {
  fence acq_rel
  ret void
}

define void @s160(ptr %p) {
  fence seq_cst
  ret void
}

define void @s161(ptr %p, ptr %o) {
  %r = load <2 x i8>, ptr %p, align 16
  store <2 x i8> %r, ptr %o, align 16
  ret void
}

define void @s162(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x i8>, ptr addrspace(1) %p, align 16
  store <2 x i8> %r, ptr %o, align 16
  ret void
}

define void @s163(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x i8>, ptr addrspace(3) %p, align 16
  store <2 x i8> %r, ptr %o, align 16
  ret void
}

define void @s164(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x i8>, ptr addrspace(4) %p, align 16
  store <2 x i8> %r, ptr %o, align 16
  ret void
}

define void @s165(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x i8>, ptr addrspace(5) %p, align 16
  store <2 x i8> %r, ptr %o, align 16
  ret void
}

define void @s166(ptr %p, ptr %o) {
  %r = load <3 x i8>, ptr %p, align 16
  store <3 x i8> %r, ptr %o, align 16
  ret void
}

define void @s167(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x i8>, ptr addrspace(1) %p, align 16
  store <3 x i8> %r, ptr %o, align 16
  ret void
}

define void @s168(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x i8>, ptr addrspace(3) %p, align 16
  store <3 x i8> %r, ptr %o, align 16
  ret void
}

define void @s169(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x i8>, ptr addrspace(4) %p, align 16
  store <3 x i8> %r, ptr %o, align 16
  ret void
}

define void @s170(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x i8>, ptr addrspace(5) %p, align 16
  store <3 x i8> %r, ptr %o, align 16
  ret void
}

define void @s171(ptr %p, ptr %o) {
  %r = load <4 x i8>, ptr %p, align 16
  store <4 x i8> %r, ptr %o, align 16
  ret void
}

define void @s172(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x i8>, ptr addrspace(1) %p, align 16
  store <4 x i8> %r, ptr %o, align 16
  ret void
}

define void @s173(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x i8>, ptr addrspace(3) %p, align 16
  store <4 x i8> %r, ptr %o, align 16
  ret void
}

define void @s174(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x i8>, ptr addrspace(4) %p, align 16
  store <4 x i8> %r, ptr %o, align 16
  ret void
}

define void @s175(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x i8>, ptr addrspace(5) %p, align 16
  store <4 x i8> %r, ptr %o, align 16
  ret void
}

define void @s176(ptr %p, ptr %o) {
  %r = load <8 x i8>, ptr %p, align 16
  store <8 x i8> %r, ptr %o, align 16
  ret void
}

define void @s177(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x i8>, ptr addrspace(1) %p, align 16
  store <8 x i8> %r, ptr %o, align 16
  ret void
}

define void @s178(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x i8>, ptr addrspace(3) %p, align 16
  store <8 x i8> %r, ptr %o, align 16
  ret void
}

define void @s179(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x i8>, ptr addrspace(4) %p, align 16
  store <8 x i8> %r, ptr %o, align 16
  ret void
}

define void @s180(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x i8>, ptr addrspace(5) %p, align 16
  store <8 x i8> %r, ptr %o, align 16
  ret void
}

define void @s181(ptr %p, ptr %o) {
  %r = load <2 x i16>, ptr %p, align 16
  store <2 x i16> %r, ptr %o, align 16
  ret void
}

define void @s182(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x i16>, ptr addrspace(1) %p, align 16
  store <2 x i16> %r, ptr %o, align 16
  ret void
}

define void @s183(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x i16>, ptr addrspace(3) %p, align 16
  store <2 x i16> %r, ptr %o, align 16
  ret void
}

define void @s184(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x i16>, ptr addrspace(4) %p, align 16
  store <2 x i16> %r, ptr %o, align 16
  ret void
}

define void @s185(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x i16>, ptr addrspace(5) %p, align 16
  store <2 x i16> %r, ptr %o, align 16
  ret void
}

define void @s186(ptr %p, ptr %o) {
  %r = load <3 x i16>, ptr %p, align 16
  store <3 x i16> %r, ptr %o, align 16
  ret void
}

define void @s187(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x i16>, ptr addrspace(1) %p, align 16
  store <3 x i16> %r, ptr %o, align 16
  ret void
}

define void @s188(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x i16>, ptr addrspace(3) %p, align 16
  store <3 x i16> %r, ptr %o, align 16
  ret void
}

define void @s189(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x i16>, ptr addrspace(4) %p, align 16
  store <3 x i16> %r, ptr %o, align 16
  ret void
}

define void @s190(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x i16>, ptr addrspace(5) %p, align 16
  store <3 x i16> %r, ptr %o, align 16
  ret void
}

define void @s191(ptr %p, ptr %o) {
  %r = load <4 x i16>, ptr %p, align 16
  store <4 x i16> %r, ptr %o, align 16
  ret void
}

define void @s192(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x i16>, ptr addrspace(1) %p, align 16
  store <4 x i16> %r, ptr %o, align 16
  ret void
}

define void @s193(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x i16>, ptr addrspace(3) %p, align 16
  store <4 x i16> %r, ptr %o, align 16
  ret void
}

define void @s194(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x i16>, ptr addrspace(4) %p, align 16
  store <4 x i16> %r, ptr %o, align 16
  ret void
}

define void @s195(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x i16>, ptr addrspace(5) %p, align 16
  store <4 x i16> %r, ptr %o, align 16
  ret void
}

define void @s196(ptr %p, ptr %o) {
  %r = load <8 x i16>, ptr %p, align 16
  store <8 x i16> %r, ptr %o, align 16
  ret void
}

define void @s197(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x i16>, ptr addrspace(1) %p, align 16
  store <8 x i16> %r, ptr %o, align 16
  ret void
}

define void @s198(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x i16>, ptr addrspace(3) %p, align 16
  store <8 x i16> %r, ptr %o, align 16
  ret void
}

define void @s199(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x i16>, ptr addrspace(4) %p, align 16
  store <8 x i16> %r, ptr %o, align 16
  ret void
}

define void @s200(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x i16>, ptr addrspace(5) %p, align 16
  store <8 x i16> %r, ptr %o, align 16
  ret void
}

define void @s201(ptr %p, ptr %o) {
  %r = load <2 x i32>, ptr %p, align 16
  store <2 x i32> %r, ptr %o, align 16
  ret void
}

define void @s202(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x i32>, ptr addrspace(1) %p, align 16
  store <2 x i32> %r, ptr %o, align 16
  ret void
}

define void @s203(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x i32>, ptr addrspace(3) %p, align 16
  store <2 x i32> %r, ptr %o, align 16
  ret void
}

define void @s204(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x i32>, ptr addrspace(4) %p, align 16
  store <2 x i32> %r, ptr %o, align 16
  ret void
}

define void @s205(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x i32>, ptr addrspace(5) %p, align 16
  store <2 x i32> %r, ptr %o, align 16
  ret void
}

define void @s206(ptr %p, ptr %o) {
  %r = load <3 x i32>, ptr %p, align 16
  store <3 x i32> %r, ptr %o, align 16
  ret void
}

define void @s207(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x i32>, ptr addrspace(1) %p, align 16
  store <3 x i32> %r, ptr %o, align 16
  ret void
}

define void @s208(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x i32>, ptr addrspace(3) %p, align 16
  store <3 x i32> %r, ptr %o, align 16
  ret void
}

define void @s209(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x i32>, ptr addrspace(4) %p, align 16
  store <3 x i32> %r, ptr %o, align 16
  ret void
}

define void @s210(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x i32>, ptr addrspace(5) %p, align 16
  store <3 x i32> %r, ptr %o, align 16
  ret void
}

define void @s211(ptr %p, ptr %o) {
  %r = load <4 x i32>, ptr %p, align 16
  store <4 x i32> %r, ptr %o, align 16
  ret void
}

define void @s212(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x i32>, ptr addrspace(1) %p, align 16
  store <4 x i32> %r, ptr %o, align 16
  ret void
}

define void @s213(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x i32>, ptr addrspace(3) %p, align 16
  store <4 x i32> %r, ptr %o, align 16
  ret void
}

define void @s214(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x i32>, ptr addrspace(4) %p, align 16
  store <4 x i32> %r, ptr %o, align 16
  ret void
}

define void @s215(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x i32>, ptr addrspace(5) %p, align 16
  store <4 x i32> %r, ptr %o, align 16
  ret void
}

define void @s216(ptr %p, ptr %o) {
  %r = load <8 x i32>, ptr %p, align 16
  store <8 x i32> %r, ptr %o, align 16
  ret void
}

define void @s217(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x i32>, ptr addrspace(1) %p, align 16
  store <8 x i32> %r, ptr %o, align 16
  ret void
}

define void @s218(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x i32>, ptr addrspace(3) %p, align 16
  store <8 x i32> %r, ptr %o, align 16
  ret void
}

define void @s219(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x i32>, ptr addrspace(4) %p, align 16
  store <8 x i32> %r, ptr %o, align 16
  ret void
}

define void @s220(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x i32>, ptr addrspace(5) %p, align 16
  store <8 x i32> %r, ptr %o, align 16
  ret void
}

define void @s221(ptr %p, ptr %o) {
  %r = load <2 x i64>, ptr %p, align 16
  store <2 x i64> %r, ptr %o, align 16
  ret void
}

define void @s222(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x i64>, ptr addrspace(1) %p, align 16
  store <2 x i64> %r, ptr %o, align 16
  ret void
}

define void @s223(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x i64>, ptr addrspace(3) %p, align 16
  store <2 x i64> %r, ptr %o, align 16
  ret void
}

define void @s224(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x i64>, ptr addrspace(4) %p, align 16
  store <2 x i64> %r, ptr %o, align 16
  ret void
}

define void @s225(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x i64>, ptr addrspace(5) %p, align 16
  store <2 x i64> %r, ptr %o, align 16
  ret void
}

define void @s226(ptr %p, ptr %o) {
  %r = load <3 x i64>, ptr %p, align 16
  store <3 x i64> %r, ptr %o, align 16
  ret void
}

define void @s227(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x i64>, ptr addrspace(1) %p, align 16
  store <3 x i64> %r, ptr %o, align 16
  ret void
}

define void @s228(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x i64>, ptr addrspace(3) %p, align 16
  store <3 x i64> %r, ptr %o, align 16
  ret void
}

define void @s229(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x i64>, ptr addrspace(4) %p, align 16
  store <3 x i64> %r, ptr %o, align 16
  ret void
}

define void @s230(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x i64>, ptr addrspace(5) %p, align 16
  store <3 x i64> %r, ptr %o, align 16
  ret void
}

define void @s231(ptr %p, ptr %o) {
  %r = load <4 x i64>, ptr %p, align 16
  store <4 x i64> %r, ptr %o, align 16
  ret void
}

define void @s232(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x i64>, ptr addrspace(1) %p, align 16
  store <4 x i64> %r, ptr %o, align 16
  ret void
}

define void @s233(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x i64>, ptr addrspace(3) %p, align 16
  store <4 x i64> %r, ptr %o, align 16
  ret void
}

define void @s234(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x i64>, ptr addrspace(4) %p, align 16
  store <4 x i64> %r, ptr %o, align 16
  ret void
}

define void @s235(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x i64>, ptr addrspace(5) %p, align 16
  store <4 x i64> %r, ptr %o, align 16
  ret void
}

define void @s236(ptr %p, ptr %o) {
  %r = load <8 x i64>, ptr %p, align 16
  store <8 x i64> %r, ptr %o, align 16
  ret void
}

define void @s237(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x i64>, ptr addrspace(1) %p, align 16
  store <8 x i64> %r, ptr %o, align 16
  ret void
}

define void @s238(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x i64>, ptr addrspace(3) %p, align 16
  store <8 x i64> %r, ptr %o, align 16
  ret void
}

define void @s239(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x i64>, ptr addrspace(4) %p, align 16
  store <8 x i64> %r, ptr %o, align 16
  ret void
}

define void @s240(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x i64>, ptr addrspace(5) %p, align 16
  store <8 x i64> %r, ptr %o, align 16
  ret void
}

define void @s241(ptr %p, ptr %o) {
  %r = load <2 x half>, ptr %p, align 16
  store <2 x half> %r, ptr %o, align 16
  ret void
}

define void @s242(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x half>, ptr addrspace(1) %p, align 16
  store <2 x half> %r, ptr %o, align 16
  ret void
}

define void @s243(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x half>, ptr addrspace(3) %p, align 16
  store <2 x half> %r, ptr %o, align 16
  ret void
}

define void @s244(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x half>, ptr addrspace(4) %p, align 16
  store <2 x half> %r, ptr %o, align 16
  ret void
}

define void @s245(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x half>, ptr addrspace(5) %p, align 16
  store <2 x half> %r, ptr %o, align 16
  ret void
}

define void @s246(ptr %p, ptr %o) {
  %r = load <3 x half>, ptr %p, align 16
  store <3 x half> %r, ptr %o, align 16
  ret void
}

define void @s247(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x half>, ptr addrspace(1) %p, align 16
  store <3 x half> %r, ptr %o, align 16
  ret void
}

define void @s248(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x half>, ptr addrspace(3) %p, align 16
  store <3 x half> %r, ptr %o, align 16
  ret void
}

define void @s249(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x half>, ptr addrspace(4) %p, align 16
  store <3 x half> %r, ptr %o, align 16
  ret void
}

define void @s250(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x half>, ptr addrspace(5) %p, align 16
  store <3 x half> %r, ptr %o, align 16
  ret void
}

define void @s251(ptr %p, ptr %o) {
  %r = load <4 x half>, ptr %p, align 16
  store <4 x half> %r, ptr %o, align 16
  ret void
}

define void @s252(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x half>, ptr addrspace(1) %p, align 16
  store <4 x half> %r, ptr %o, align 16
  ret void
}

define void @s253(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x half>, ptr addrspace(3) %p, align 16
  store <4 x half> %r, ptr %o, align 16
  ret void
}

define void @s254(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x half>, ptr addrspace(4) %p, align 16
  store <4 x half> %r, ptr %o, align 16
  ret void
}

define void @s255(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x half>, ptr addrspace(5) %p, align 16
  store <4 x half> %r, ptr %o, align 16
  ret void
}

define void @s256(ptr %p, ptr %o) {
  %r = load <8 x half>, ptr %p, align 16
  store <8 x half> %r, ptr %o, align 16
  ret void
}

define void @s257(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x half>, ptr addrspace(1) %p, align 16
  store <8 x half> %r, ptr %o, align 16
  ret void
}

define void @s258(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x half>, ptr addrspace(3) %p, align 16
  store <8 x half> %r, ptr %o, align 16
  ret void
}

define void @s259(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x half>, ptr addrspace(4) %p, align 16
  store <8 x half> %r, ptr %o, align 16
  ret void
}

define void @s260(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x half>, ptr addrspace(5) %p, align 16
  store <8 x half> %r, ptr %o, align 16
  ret void
}

define void @s261(ptr %p, ptr %o) {
  %r = load <2 x bfloat>, ptr %p, align 16
  store <2 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s262(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x bfloat>, ptr addrspace(1) %p, align 16
  store <2 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s263(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x bfloat>, ptr addrspace(3) %p, align 16
  store <2 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s264(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x bfloat>, ptr addrspace(4) %p, align 16
  store <2 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s265(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x bfloat>, ptr addrspace(5) %p, align 16
  store <2 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s266(ptr %p, ptr %o) {
  %r = load <3 x bfloat>, ptr %p, align 16
  store <3 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s267(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x bfloat>, ptr addrspace(1) %p, align 16
  store <3 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s268(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x bfloat>, ptr addrspace(3) %p, align 16
  store <3 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s269(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x bfloat>, ptr addrspace(4) %p, align 16
  store <3 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s270(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x bfloat>, ptr addrspace(5) %p, align 16
  store <3 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s271(ptr %p, ptr %o) {
  %r = load <4 x bfloat>, ptr %p, align 16
  store <4 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s272(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x bfloat>, ptr addrspace(1) %p, align 16
  store <4 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s273(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x bfloat>, ptr addrspace(3) %p, align 16
  store <4 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s274(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x bfloat>, ptr addrspace(4) %p, align 16
  store <4 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s275(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x bfloat>, ptr addrspace(5) %p, align 16
  store <4 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s276(ptr %p, ptr %o) {
  %r = load <8 x bfloat>, ptr %p, align 16
  store <8 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s277(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x bfloat>, ptr addrspace(1) %p, align 16
  store <8 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s278(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x bfloat>, ptr addrspace(3) %p, align 16
  store <8 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s279(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x bfloat>, ptr addrspace(4) %p, align 16
  store <8 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s280(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x bfloat>, ptr addrspace(5) %p, align 16
  store <8 x bfloat> %r, ptr %o, align 16
  ret void
}

define void @s281(ptr %p, ptr %o) {
  %r = load <2 x float>, ptr %p, align 16
  store <2 x float> %r, ptr %o, align 16
  ret void
}

define void @s282(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x float>, ptr addrspace(1) %p, align 16
  store <2 x float> %r, ptr %o, align 16
  ret void
}

define void @s283(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x float>, ptr addrspace(3) %p, align 16
  store <2 x float> %r, ptr %o, align 16
  ret void
}

define void @s284(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x float>, ptr addrspace(4) %p, align 16
  store <2 x float> %r, ptr %o, align 16
  ret void
}

define void @s285(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x float>, ptr addrspace(5) %p, align 16
  store <2 x float> %r, ptr %o, align 16
  ret void
}

define void @s286(ptr %p, ptr %o) {
  %r = load <3 x float>, ptr %p, align 16
  store <3 x float> %r, ptr %o, align 16
  ret void
}

define void @s287(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x float>, ptr addrspace(1) %p, align 16
  store <3 x float> %r, ptr %o, align 16
  ret void
}

define void @s288(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x float>, ptr addrspace(3) %p, align 16
  store <3 x float> %r, ptr %o, align 16
  ret void
}

define void @s289(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x float>, ptr addrspace(4) %p, align 16
  store <3 x float> %r, ptr %o, align 16
  ret void
}

define void @s290(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x float>, ptr addrspace(5) %p, align 16
  store <3 x float> %r, ptr %o, align 16
  ret void
}

define void @s291(ptr %p, ptr %o) {
  %r = load <4 x float>, ptr %p, align 16
  store <4 x float> %r, ptr %o, align 16
  ret void
}

define void @s292(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x float>, ptr addrspace(1) %p, align 16
  store <4 x float> %r, ptr %o, align 16
  ret void
}

define void @s293(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x float>, ptr addrspace(3) %p, align 16
  store <4 x float> %r, ptr %o, align 16
  ret void
}

define void @s294(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x float>, ptr addrspace(4) %p, align 16
  store <4 x float> %r, ptr %o, align 16
  ret void
}

define void @s295(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x float>, ptr addrspace(5) %p, align 16
  store <4 x float> %r, ptr %o, align 16
  ret void
}

define void @s296(ptr %p, ptr %o) {
  %r = load <8 x float>, ptr %p, align 16
  store <8 x float> %r, ptr %o, align 16
  ret void
}

define void @s297(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x float>, ptr addrspace(1) %p, align 16
  store <8 x float> %r, ptr %o, align 16
  ret void
}

define void @s298(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x float>, ptr addrspace(3) %p, align 16
  store <8 x float> %r, ptr %o, align 16
  ret void
}

define void @s299(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x float>, ptr addrspace(4) %p, align 16
  store <8 x float> %r, ptr %o, align 16
  ret void
}

define void @s300(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x float>, ptr addrspace(5) %p, align 16
  store <8 x float> %r, ptr %o, align 16
  ret void
}

define void @s301(ptr %p, ptr %o) {
  %r = load <2 x double>, ptr %p, align 16
  store <2 x double> %r, ptr %o, align 16
  ret void
}

define void @s302(ptr addrspace(1) %p, ptr %o) {
  %r = load <2 x double>, ptr addrspace(1) %p, align 16
  store <2 x double> %r, ptr %o, align 16
  ret void
}

define void @s303(ptr addrspace(3) %p, ptr %o) {
  %r = load <2 x double>, ptr addrspace(3) %p, align 16
  store <2 x double> %r, ptr %o, align 16
  ret void
}

define void @s304(ptr addrspace(4) %p, ptr %o) {
  %r = load <2 x double>, ptr addrspace(4) %p, align 16
  store <2 x double> %r, ptr %o, align 16
  ret void
}

define void @s305(ptr addrspace(5) %p, ptr %o) {
  %r = load <2 x double>, ptr addrspace(5) %p, align 16
  store <2 x double> %r, ptr %o, align 16
  ret void
}

define void @s306(ptr %p, ptr %o) {
  %r = load <3 x double>, ptr %p, align 16
  store <3 x double> %r, ptr %o, align 16
  ret void
}

define void @s307(ptr addrspace(1) %p, ptr %o) {
  %r = load <3 x double>, ptr addrspace(1) %p, align 16
  store <3 x double> %r, ptr %o, align 16
  ret void
}

define void @s308(ptr addrspace(3) %p, ptr %o) {
  %r = load <3 x double>, ptr addrspace(3) %p, align 16
  store <3 x double> %r, ptr %o, align 16
  ret void
}

define void @s309(ptr addrspace(4) %p, ptr %o) {
  %r = load <3 x double>, ptr addrspace(4) %p, align 16
  store <3 x double> %r, ptr %o, align 16
  ret void
}

define void @s310(ptr addrspace(5) %p, ptr %o) {
  %r = load <3 x double>, ptr addrspace(5) %p, align 16
  store <3 x double> %r, ptr %o, align 16
  ret void
}

define void @s311(ptr %p, ptr %o) {
  %r = load <4 x double>, ptr %p, align 16
  store <4 x double> %r, ptr %o, align 16
  ret void
}

define void @s312(ptr addrspace(1) %p, ptr %o) {
  %r = load <4 x double>, ptr addrspace(1) %p, align 16
  store <4 x double> %r, ptr %o, align 16
  ret void
}

define void @s313(ptr addrspace(3) %p, ptr %o) {
  %r = load <4 x double>, ptr addrspace(3) %p, align 16
  store <4 x double> %r, ptr %o, align 16
  ret void
}

define void @s314(ptr addrspace(4) %p, ptr %o) {
  %r = load <4 x double>, ptr addrspace(4) %p, align 16
  store <4 x double> %r, ptr %o, align 16
  ret void
}

define void @s315(ptr addrspace(5) %p, ptr %o) {
  %r = load <4 x double>, ptr addrspace(5) %p, align 16
  store <4 x double> %r, ptr %o, align 16
  ret void
}

define void @s316(ptr %p, ptr %o) {
  %r = load <8 x double>, ptr %p, align 16
  store <8 x double> %r, ptr %o, align 16
  ret void
}

define void @s317(ptr addrspace(1) %p, ptr %o) {
  %r = load <8 x double>, ptr addrspace(1) %p, align 16
  store <8 x double> %r, ptr %o, align 16
  ret void
}

define void @s318(ptr addrspace(3) %p, ptr %o) {
  %r = load <8 x double>, ptr addrspace(3) %p, align 16
  store <8 x double> %r, ptr %o, align 16
  ret void
}

define void @s319(ptr addrspace(4) %p, ptr %o) {
  %r = load <8 x double>, ptr addrspace(4) %p, align 16
  store <8 x double> %r, ptr %o, align 16
  ret void
}

define void @s320(ptr addrspace(5) %p, ptr %o) {
  %r = load <8 x double>, ptr addrspace(5) %p, align 16
  store <8 x double> %r, ptr %o, align 16
  ret void
}

define void @s321(half %a, half %b, ptr %o) {
  %r = fadd half %a, %b
  store half %r, ptr %o
  ret void
}

define void @s322(half %a, half %b, ptr %o) {
  %r = fsub half %a, %b
  store half %r, ptr %o
  ret void
}

define void @s323(half %a, half %b, ptr %o) {
  %r = fmul half %a, %b
  store half %r, ptr %o
  ret void
}

define void @s324(half %a, half %b, ptr %o) {
  %r = fdiv half %a, %b
  store half %r, ptr %o
  ret void
}

define void @s325(half %a, half %b, ptr %o) {
  %r = frem half %a, %b
  store half %r, ptr %o
  ret void
}

define void @s326(half %a, half %b, ptr %o) {
  %r = fneg half %a
  store half %r, ptr %o
  ret void
}

define void @s327(half %a, half %b, ptr %o) {
  %r = fcmp oeq half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s328(half %a, half %b, ptr %o) {
  %r = fcmp ogt half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s329(half %a, half %b, ptr %o) {
  %r = fcmp oge half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s330(half %a, half %b, ptr %o) {
  %r = fcmp olt half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s331(half %a, half %b, ptr %o) {
  %r = fcmp ole half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s332(half %a, half %b, ptr %o) {
  %r = fcmp one half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s333(half %a, half %b, ptr %o) {
  %r = fcmp ord half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s334(half %a, half %b, ptr %o) {
  %r = fcmp ueq half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s335(half %a, half %b, ptr %o) {
  %r = fcmp ugt half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s336(half %a, half %b, ptr %o) {
  %r = fcmp uge half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s337(half %a, half %b, ptr %o) {
  %r = fcmp ult half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s338(half %a, half %b, ptr %o) {
  %r = fcmp ule half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s339(half %a, half %b, ptr %o) {
  %r = fcmp une half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s340(half %a, half %b, ptr %o) {
  %r = fcmp uno half %a, %b
  %z = select i1 %r, half %a, half %b
  store half %z, ptr %o
  ret void
}

define void @s341(half %a, ptr %o) {
  %r = fptosi half %a to i1
  %u = fptoui half %a to i1
  store i1 %r, ptr %o
  store volatile i1 %u, ptr %o
  ret void
}

define void @s342(i1 %a, ptr %o) {
  %r = sitofp i1 %a to half
  %u = uitofp i1 %a to half
  store half %r, ptr %o
  store volatile half %u, ptr %o
  ret void
}

define void @s343(half %a, ptr %o) {
  %r = fptosi half %a to i8
  %u = fptoui half %a to i8
  store i8 %r, ptr %o
  store volatile i8 %u, ptr %o
  ret void
}

define void @s344(i8 %a, ptr %o) {
  %r = sitofp i8 %a to half
  %u = uitofp i8 %a to half
  store half %r, ptr %o
  store volatile half %u, ptr %o
  ret void
}

define void @s345(half %a, ptr %o) {
  %r = fptosi half %a to i16
  %u = fptoui half %a to i16
  store i16 %r, ptr %o
  store volatile i16 %u, ptr %o
  ret void
}

define void @s346(i16 %a, ptr %o) {
  %r = sitofp i16 %a to half
  %u = uitofp i16 %a to half
  store half %r, ptr %o
  store volatile half %u, ptr %o
  ret void
}

define void @s347(half %a, ptr %o) {
  %r = fptosi half %a to i32
  %u = fptoui half %a to i32
  store i32 %r, ptr %o
  store volatile i32 %u, ptr %o
  ret void
}

define void @s348(i32 %a, ptr %o) {
  %r = sitofp i32 %a to half
  %u = uitofp i32 %a to half
  store half %r, ptr %o
  store volatile half %u, ptr %o
  ret void
}

define void @s349(half %a, ptr %o) {
  %r = fptosi half %a to i64
  %u = fptoui half %a to i64
  store i64 %r, ptr %o
  store volatile i64 %u, ptr %o
  ret void
}

define void @s350(i64 %a, ptr %o) {
  %r = sitofp i64 %a to half
  %u = uitofp i64 %a to half
  store half %r, ptr %o
  store volatile half %u, ptr %o
  ret void
}

define void @s351(half %a, ptr %o) {
  %r = fpext half %a to float
  store float %r, ptr %o
  ret void
}

define void @s352(half %a, ptr %o) {
  %r = fpext half %a to double
  store double %r, ptr %o
  ret void
}

define void @s353(bfloat %a, bfloat %b, ptr %o) {
  %r = fadd bfloat %a, %b
  store bfloat %r, ptr %o
  ret void
}

define void @s354(bfloat %a, bfloat %b, ptr %o) {
  %r = fsub bfloat %a, %b
  store bfloat %r, ptr %o
  ret void
}

define void @s355(bfloat %a, bfloat %b, ptr %o) {
  %r = fmul bfloat %a, %b
  store bfloat %r, ptr %o
  ret void
}

define void @s356(bfloat %a, bfloat %b, ptr %o) {
  %r = fdiv bfloat %a, %b
  store bfloat %r, ptr %o
  ret void
}

define void @s357(bfloat %a, bfloat %b, ptr %o) {
  %r = frem bfloat %a, %b
  store bfloat %r, ptr %o
  ret void
}

define void @s358(bfloat %a, bfloat %b, ptr %o) {
  %r = fneg bfloat %a
  store bfloat %r, ptr %o
  ret void
}

define void @s359(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp oeq bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s360(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ogt bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s361(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp oge bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s362(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp olt bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s363(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ole bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s364(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp one bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s365(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ord bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s366(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ueq bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s367(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ugt bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s368(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp uge bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s369(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ult bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s370(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp ule bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s371(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp une bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s372(bfloat %a, bfloat %b, ptr %o) {
  %r = fcmp uno bfloat %a, %b
  %z = select i1 %r, bfloat %a, bfloat %b
  store bfloat %z, ptr %o
  ret void
}

define void @s373(bfloat %a, ptr %o) {
  %r = fptosi bfloat %a to i1
  %u = fptoui bfloat %a to i1
  store i1 %r, ptr %o
  store volatile i1 %u, ptr %o
  ret void
}

define void @s374(i1 %a, ptr %o) {
  %r = sitofp i1 %a to bfloat
  %u = uitofp i1 %a to bfloat
  store bfloat %r, ptr %o
  store volatile bfloat %u, ptr %o
  ret void
}

define void @s375(bfloat %a, ptr %o) {
  %r = fptosi bfloat %a to i8
  %u = fptoui bfloat %a to i8
  store i8 %r, ptr %o
  store volatile i8 %u, ptr %o
  ret void
}

define void @s376(i8 %a, ptr %o) {
  %r = sitofp i8 %a to bfloat
  %u = uitofp i8 %a to bfloat
  store bfloat %r, ptr %o
  store volatile bfloat %u, ptr %o
  ret void
}

define void @s377(bfloat %a, ptr %o) {
  %r = fptosi bfloat %a to i16
  %u = fptoui bfloat %a to i16
  store i16 %r, ptr %o
  store volatile i16 %u, ptr %o
  ret void
}

define void @s378(i16 %a, ptr %o) {
  %r = sitofp i16 %a to bfloat
  %u = uitofp i16 %a to bfloat
  store bfloat %r, ptr %o
  store volatile bfloat %u, ptr %o
  ret void
}

define void @s379(bfloat %a, ptr %o) {
  %r = fptosi bfloat %a to i32
  %u = fptoui bfloat %a to i32
  store i32 %r, ptr %o
  store volatile i32 %u, ptr %o
  ret void
}

define void @s380(i32 %a, ptr %o) {
  %r = sitofp i32 %a to bfloat
  %u = uitofp i32 %a to bfloat
  store bfloat %r, ptr %o
  store volatile bfloat %u, ptr %o
  ret void
}

define void @s381(bfloat %a, ptr %o) {
  %r = fptosi bfloat %a to i64
  %u = fptoui bfloat %a to i64
  store i64 %r, ptr %o
  store volatile i64 %u, ptr %o
  ret void
}

define void @s382(i64 %a, ptr %o) {
  %r = sitofp i64 %a to bfloat
  %u = uitofp i64 %a to bfloat
  store bfloat %r, ptr %o
  store volatile bfloat %u, ptr %o
  ret void
}

define void @s383(bfloat %a, ptr %o) {
  %r = fpext bfloat %a to float
  store float %r, ptr %o
  ret void
}

define void @s384(bfloat %a, ptr %o) {
  %r = fpext bfloat %a to double
  store double %r, ptr %o
  ret void
}

define void @s385(float %a, float %b, ptr %o) {
  %r = fadd float %a, %b
  store float %r, ptr %o
  ret void
}

define void @s386(float %a, float %b, ptr %o) {
  %r = fsub float %a, %b
  store float %r, ptr %o
  ret void
}

define void @s387(float %a, float %b, ptr %o) {
  %r = fmul float %a, %b
  store float %r, ptr %o
  ret void
}

define void @s388(float %a, float %b, ptr %o) {
  %r = fdiv float %a, %b
  store float %r, ptr %o
  ret void
}

define void @s389(float %a, float %b, ptr %o) {
  %r = frem float %a, %b
  store float %r, ptr %o
  ret void
}

define void @s390(float %a, float %b, ptr %o) {
  %r = fneg float %a
  store float %r, ptr %o
  ret void
}

define void @s391(float %a, float %b, ptr %o) {
  %r = fcmp oeq float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s392(float %a, float %b, ptr %o) {
  %r = fcmp ogt float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s393(float %a, float %b, ptr %o) {
  %r = fcmp oge float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s394(float %a, float %b, ptr %o) {
  %r = fcmp olt float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s395(float %a, float %b, ptr %o) {
  %r = fcmp ole float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s396(float %a, float %b, ptr %o) {
  %r = fcmp one float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s397(float %a, float %b, ptr %o) {
  %r = fcmp ord float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s398(float %a, float %b, ptr %o) {
  %r = fcmp ueq float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s399(float %a, float %b, ptr %o) {
  %r = fcmp ugt float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s400(float %a, float %b, ptr %o) {
  %r = fcmp uge float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s401(float %a, float %b, ptr %o) {
  %r = fcmp ult float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s402(float %a, float %b, ptr %o) {
  %r = fcmp ule float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s403(float %a, float %b, ptr %o) {
  %r = fcmp une float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s404(float %a, float %b, ptr %o) {
  %r = fcmp uno float %a, %b
  %z = select i1 %r, float %a, float %b
  store float %z, ptr %o
  ret void
}

define void @s405(float %a, ptr %o) {
  %r = fptosi float %a to i1
  %u = fptoui float %a to i1
  store i1 %r, ptr %o
  store volatile i1 %u, ptr %o
  ret void
}

define void @s406(i1 %a, ptr %o) {
  %r = sitofp i1 %a to float
  %u = uitofp i1 %a to float
  store float %r, ptr %o
  store volatile float %u, ptr %o
  ret void
}

define void @s407(float %a, ptr %o) {
  %r = fptosi float %a to i8
  %u = fptoui float %a to i8
  store i8 %r, ptr %o
  store volatile i8 %u, ptr %o
  ret void
}

define void @s408(i8 %a, ptr %o) {
  %r = sitofp i8 %a to float
  %u = uitofp i8 %a to float
  store float %r, ptr %o
  store volatile float %u, ptr %o
  ret void
}

define void @s409(float %a, ptr %o) {
  %r = fptosi float %a to i16
  %u = fptoui float %a to i16
  store i16 %r, ptr %o
  store volatile i16 %u, ptr %o
  ret void
}

define void @s410(i16 %a, ptr %o) {
  %r = sitofp i16 %a to float
  %u = uitofp i16 %a to float
  store float %r, ptr %o
  store volatile float %u, ptr %o
  ret void
}

define void @s411(float %a, ptr %o) {
  %r = fptosi float %a to i32
  %u = fptoui float %a to i32
  store i32 %r, ptr %o
  store volatile i32 %u, ptr %o
  ret void
}

define void @s412(i32 %a, ptr %o) {
  %r = sitofp i32 %a to float
  %u = uitofp i32 %a to float
  store float %r, ptr %o
  store volatile float %u, ptr %o
  ret void
}

define void @s413(float %a, ptr %o) {
  %r = fptosi float %a to i64
  %u = fptoui float %a to i64
  store i64 %r, ptr %o
  store volatile i64 %u, ptr %o
  ret void
}

define void @s414(i64 %a, ptr %o) {
  %r = sitofp i64 %a to float
  %u = uitofp i64 %a to float
  store float %r, ptr %o
  store volatile float %u, ptr %o
  ret void
}

define void @s415(float %a, ptr %o) {
  %r = fptrunc float %a to half
  store half %r, ptr %o
  ret void
}

define void @s416(float %a, ptr %o) {
  %r = fptrunc float %a to bfloat
  store bfloat %r, ptr %o
  ret void
}

define void @s417(float %a, ptr %o) {
  %r = fpext float %a to double
  store double %r, ptr %o
  ret void
}

define void @s418(double %a, double %b, ptr %o) {
  %r = fadd double %a, %b
  store double %r, ptr %o
  ret void
}

define void @s419(double %a, double %b, ptr %o) {
  %r = fsub double %a, %b
  store double %r, ptr %o
  ret void
}

define void @s420(double %a, double %b, ptr %o) {
  %r = fmul double %a, %b
  store double %r, ptr %o
  ret void
}

define void @s421(double %a, double %b, ptr %o) {
  %r = fdiv double %a, %b
  store double %r, ptr %o
  ret void
}

define void @s422(double %a, double %b, ptr %o) {
  %r = frem double %a, %b
  store double %r, ptr %o
  ret void
}

define void @s423(double %a, double %b, ptr %o) {
  %r = fneg double %a
  store double %r, ptr %o
  ret void
}

define void @s424(double %a, double %b, ptr %o) {
  %r = fcmp oeq double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s425(double %a, double %b, ptr %o) {
  %r = fcmp ogt double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s426(double %a, double %b, ptr %o) {
  %r = fcmp oge double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s427(double %a, double %b, ptr %o) {
  %r = fcmp olt double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s428(double %a, double %b, ptr %o) {
  %r = fcmp ole double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s429(double %a, double %b, ptr %o) {
  %r = fcmp one double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s430(double %a, double %b, ptr %o) {
  %r = fcmp ord double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s431(double %a, double %b, ptr %o) {
  %r = fcmp ueq double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s432(double %a, double %b, ptr %o) {
  %r = fcmp ugt double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s433(double %a, double %b, ptr %o) {
  %r = fcmp uge double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s434(double %a, double %b, ptr %o) {
  %r = fcmp ult double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s435(double %a, double %b, ptr %o) {
  %r = fcmp ule double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s436(double %a, double %b, ptr %o) {
  %r = fcmp une double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s437(double %a, double %b, ptr %o) {
  %r = fcmp uno double %a, %b
  %z = select i1 %r, double %a, double %b
  store double %z, ptr %o
  ret void
}

define void @s438(double %a, ptr %o) {
  %r = fptosi double %a to i1
  %u = fptoui double %a to i1
  store i1 %r, ptr %o
  store volatile i1 %u, ptr %o
  ret void
}

define void @s439(i1 %a, ptr %o) {
  %r = sitofp i1 %a to double
  %u = uitofp i1 %a to double
  store double %r, ptr %o
  store volatile double %u, ptr %o
  ret void
}

define void @s440(double %a, ptr %o) {
  %r = fptosi double %a to i8
  %u = fptoui double %a to i8
  store i8 %r, ptr %o
  store volatile i8 %u, ptr %o
  ret void
}

define void @s441(i8 %a, ptr %o) {
  %r = sitofp i8 %a to double
  %u = uitofp i8 %a to double
  store double %r, ptr %o
  store volatile double %u, ptr %o
  ret void
}

define void @s442(double %a, ptr %o) {
  %r = fptosi double %a to i16
  %u = fptoui double %a to i16
  store i16 %r, ptr %o
  store volatile i16 %u, ptr %o
  ret void
}

define void @s443(i16 %a, ptr %o) {
  %r = sitofp i16 %a to double
  %u = uitofp i16 %a to double
  store double %r, ptr %o
  store volatile double %u, ptr %o
  ret void
}

define void @s444(double %a, ptr %o) {
  %r = fptosi double %a to i32
  %u = fptoui double %a to i32
  store i32 %r, ptr %o
  store volatile i32 %u, ptr %o
  ret void
}

define void @s445(i32 %a, ptr %o) {
  %r = sitofp i32 %a to double
  %u = uitofp i32 %a to double
  store double %r, ptr %o
  store volatile double %u, ptr %o
  ret void
}

define void @s446(double %a, ptr %o) {
  %r = fptosi double %a to i64
  %u = fptoui double %a to i64
  store i64 %r, ptr %o
  store volatile i64 %u, ptr %o
  ret void
}

define void @s447(i64 %a, ptr %o) {
  %r = sitofp i64 %a to double
  %u = uitofp i64 %a to double
  store double %r, ptr %o
  store volatile double %u, ptr %o
  ret void
}

define void @s448(double %a, ptr %o) {
  %r = fptrunc double %a to half
  store half %r, ptr %o
  ret void
}

define void @s449(double %a, ptr %o) {
  %r = fptrunc double %a to bfloat
  store bfloat %r, ptr %o
  ret void
}

define void @s450(double %a, ptr %o) {
  %r = fptrunc double %a to float
  store float %r, ptr %o
  ret void
}

define void @s451(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = fadd <2 x half> %a, %b
  store <2 x half> %r, ptr %o
  ret void
}

define void @s452(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = fsub <2 x half> %a, %b
  store <2 x half> %r, ptr %o
  ret void
}

define void @s453(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = fmul <2 x half> %a, %b
  store <2 x half> %r, ptr %o
  ret void
}

define void @s454(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = fdiv <2 x half> %a, %b
  store <2 x half> %r, ptr %o
  ret void
}

define void @s455(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = frem <2 x half> %a, %b
  store <2 x half> %r, ptr %o
  ret void
}

define void @s456(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = fneg <2 x half> %a
  store <2 x half> %r, ptr %o
  ret void
}

define void @s457(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = fadd <2 x bfloat> %a, %b
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s458(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = fsub <2 x bfloat> %a, %b
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s459(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = fmul <2 x bfloat> %a, %b
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s460(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = fdiv <2 x bfloat> %a, %b
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s461(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = frem <2 x bfloat> %a, %b
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s462(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = fneg <2 x bfloat> %a
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s463(i1 %a, i1 %b, ptr %o) {
  %r = add i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s464(i1 %a, i1 %b, ptr %o) {
  %r = sub i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s465(i1 %a, i1 %b, ptr %o) {
  %r = mul i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s466(i1 %a, i1 %b, ptr %o) {
  %r = sdiv i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s467(i1 %a, i1 %b, ptr %o) {
  %r = udiv i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s468(i1 %a, i1 %b, ptr %o) {
  %r = srem i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s469(i1 %a, i1 %b, ptr %o) {
  %r = urem i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s470(i1 %a, i1 %b, ptr %o) {
  %r = shl i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s471(i1 %a, i1 %b, ptr %o) {
  %r = lshr i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s472(i1 %a, i1 %b, ptr %o) {
  %r = ashr i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s473(i1 %a, i1 %b, ptr %o) {
  %r = and i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s474(i1 %a, i1 %b, ptr %o) {
  %r = or i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s475(i1 %a, i1 %b, ptr %o) {
  %r = xor i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s476(i1 %a, i1 %b, ptr %o) {
  %r = icmp eq i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s477(i1 %a, i1 %b, ptr %o) {
  %r = icmp ne i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s478(i1 %a, i1 %b, ptr %o) {
  %r = icmp ugt i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s479(i1 %a, i1 %b, ptr %o) {
  %r = icmp uge i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s480(i1 %a, i1 %b, ptr %o) {
  %r = icmp slt i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s481(i1 %a, i1 %b, ptr %o) {
  %r = icmp sle i1 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s482(i8 %a, i8 %b, ptr %o) {
  %r = add i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s483(i8 %a, i8 %b, ptr %o) {
  %r = sub i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s484(i8 %a, i8 %b, ptr %o) {
  %r = mul i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s485(i8 %a, i8 %b, ptr %o) {
  %r = sdiv i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s486(i8 %a, i8 %b, ptr %o) {
  %r = udiv i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s487(i8 %a, i8 %b, ptr %o) {
  %r = srem i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s488(i8 %a, i8 %b, ptr %o) {
  %r = urem i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s489(i8 %a, i8 %b, ptr %o) {
  %r = shl i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s490(i8 %a, i8 %b, ptr %o) {
  %r = lshr i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s491(i8 %a, i8 %b, ptr %o) {
  %r = ashr i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s492(i8 %a, i8 %b, ptr %o) {
  %r = and i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s493(i8 %a, i8 %b, ptr %o) {
  %r = or i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s494(i8 %a, i8 %b, ptr %o) {
  %r = xor i8 %a, %b
  store i8 %r, ptr %o
  ret void
}

define void @s495(i8 %a, i8 %b, ptr %o) {
  %r = icmp eq i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s496(i8 %a, i8 %b, ptr %o) {
  %r = icmp ne i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s497(i8 %a, i8 %b, ptr %o) {
  %r = icmp ugt i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s498(i8 %a, i8 %b, ptr %o) {
  %r = icmp uge i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s499(i8 %a, i8 %b, ptr %o) {
  %r = icmp slt i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s500(i8 %a, i8 %b, ptr %o) {
  %r = icmp sle i8 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s501(i16 %a, i16 %b, ptr %o) {
  %r = add i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s502(i16 %a, i16 %b, ptr %o) {
  %r = sub i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s503(i16 %a, i16 %b, ptr %o) {
  %r = mul i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s504(i16 %a, i16 %b, ptr %o) {
  %r = sdiv i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s505(i16 %a, i16 %b, ptr %o) {
  %r = udiv i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s506(i16 %a, i16 %b, ptr %o) {
  %r = srem i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s507(i16 %a, i16 %b, ptr %o) {
  %r = urem i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s508(i16 %a, i16 %b, ptr %o) {
  %r = shl i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s509(i16 %a, i16 %b, ptr %o) {
  %r = lshr i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s510(i16 %a, i16 %b, ptr %o) {
  %r = ashr i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s511(i16 %a, i16 %b, ptr %o) {
  %r = and i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s512(i16 %a, i16 %b, ptr %o) {
  %r = or i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s513(i16 %a, i16 %b, ptr %o) {
  %r = xor i16 %a, %b
  store i16 %r, ptr %o
  ret void
}

define void @s514(i16 %a, i16 %b, ptr %o) {
  %r = icmp eq i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s515(i16 %a, i16 %b, ptr %o) {
  %r = icmp ne i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s516(i16 %a, i16 %b, ptr %o) {
  %r = icmp ugt i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s517(i16 %a, i16 %b, ptr %o) {
  %r = icmp uge i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s518(i16 %a, i16 %b, ptr %o) {
  %r = icmp slt i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s519(i16 %a, i16 %b, ptr %o) {
  %r = icmp sle i16 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s520(i32 %a, i32 %b, ptr %o) {
  %r = add i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s521(i32 %a, i32 %b, ptr %o) {
  %r = sub i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s522(i32 %a, i32 %b, ptr %o) {
  %r = mul i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s523(i32 %a, i32 %b, ptr %o) {
  %r = sdiv i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s524(i32 %a, i32 %b, ptr %o) {
  %r = udiv i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s525(i32 %a, i32 %b, ptr %o) {
  %r = srem i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s526(i32 %a, i32 %b, ptr %o) {
  %r = urem i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s527(i32 %a, i32 %b, ptr %o) {
  %r = shl i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s528(i32 %a, i32 %b, ptr %o) {
  %r = lshr i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s529(i32 %a, i32 %b, ptr %o) {
  %r = ashr i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s530(i32 %a, i32 %b, ptr %o) {
  %r = and i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s531(i32 %a, i32 %b, ptr %o) {
  %r = or i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s532(i32 %a, i32 %b, ptr %o) {
  %r = xor i32 %a, %b
  store i32 %r, ptr %o
  ret void
}

define void @s533(i32 %a, i32 %b, ptr %o) {
  %r = icmp eq i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s534(i32 %a, i32 %b, ptr %o) {
  %r = icmp ne i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s535(i32 %a, i32 %b, ptr %o) {
  %r = icmp ugt i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s536(i32 %a, i32 %b, ptr %o) {
  %r = icmp uge i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s537(i32 %a, i32 %b, ptr %o) {
  %r = icmp slt i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s538(i32 %a, i32 %b, ptr %o) {
  %r = icmp sle i32 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s539(i64 %a, i64 %b, ptr %o) {
  %r = add i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s540(i64 %a, i64 %b, ptr %o) {
  %r = sub i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s541(i64 %a, i64 %b, ptr %o) {
  %r = mul i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s542(i64 %a, i64 %b, ptr %o) {
  %r = sdiv i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s543(i64 %a, i64 %b, ptr %o) {
  %r = udiv i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s544(i64 %a, i64 %b, ptr %o) {
  %r = srem i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s545(i64 %a, i64 %b, ptr %o) {
  %r = urem i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s546(i64 %a, i64 %b, ptr %o) {
  %r = shl i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s547(i64 %a, i64 %b, ptr %o) {
  %r = lshr i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s548(i64 %a, i64 %b, ptr %o) {
  %r = ashr i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s549(i64 %a, i64 %b, ptr %o) {
  %r = and i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s550(i64 %a, i64 %b, ptr %o) {
  %r = or i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s551(i64 %a, i64 %b, ptr %o) {
  %r = xor i64 %a, %b
  store i64 %r, ptr %o
  ret void
}

define void @s552(i64 %a, i64 %b, ptr %o) {
  %r = icmp eq i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s553(i64 %a, i64 %b, ptr %o) {
  %r = icmp ne i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s554(i64 %a, i64 %b, ptr %o) {
  %r = icmp ugt i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s555(i64 %a, i64 %b, ptr %o) {
  %r = icmp uge i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s556(i64 %a, i64 %b, ptr %o) {
  %r = icmp slt i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s557(i64 %a, i64 %b, ptr %o) {
  %r = icmp sle i64 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s558(i128 %a, i128 %b, ptr %o) {
  %r = add i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s559(i128 %a, i128 %b, ptr %o) {
  %r = sub i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s560(i128 %a, i128 %b, ptr %o) {
  %r = mul i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s561(i128 %a, i128 %b, ptr %o) {
  %r = sdiv i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s562(i128 %a, i128 %b, ptr %o) {
  %r = udiv i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s563(i128 %a, i128 %b, ptr %o) {
  %r = srem i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s564(i128 %a, i128 %b, ptr %o) {
  %r = urem i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s565(i128 %a, i128 %b, ptr %o) {
  %r = shl i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s566(i128 %a, i128 %b, ptr %o) {
  %r = lshr i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s567(i128 %a, i128 %b, ptr %o) {
  %r = ashr i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s568(i128 %a, i128 %b, ptr %o) {
  %r = and i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s569(i128 %a, i128 %b, ptr %o) {
  %r = or i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s570(i128 %a, i128 %b, ptr %o) {
  %r = xor i128 %a, %b
  store i128 %r, ptr %o
  ret void
}

define void @s571(i128 %a, i128 %b, ptr %o) {
  %r = icmp eq i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s572(i128 %a, i128 %b, ptr %o) {
  %r = icmp ne i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s573(i128 %a, i128 %b, ptr %o) {
  %r = icmp ugt i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s574(i128 %a, i128 %b, ptr %o) {
  %r = icmp uge i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s575(i128 %a, i128 %b, ptr %o) {
  %r = icmp slt i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s576(i128 %a, i128 %b, ptr %o) {
  %r = icmp sle i128 %a, %b
  store i1 %r, ptr %o
  ret void
}

define void @s577(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = add <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s578(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = sub <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s579(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = mul <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s580(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = sdiv <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s581(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = udiv <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s582(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = srem <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s583(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = urem <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s584(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = shl <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s585(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = lshr <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s586(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = ashr <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s587(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = and <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s588(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = or <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s589(<2 x i16> %a, <2 x i16> %b, ptr %o) {
  %r = xor <2 x i16> %a, %b
  store <2 x i16> %r, ptr %o
  ret void
}

define void @s590(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = add <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s591(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = sub <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s592(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = mul <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s593(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = sdiv <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s594(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = udiv <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s595(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = srem <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s596(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = urem <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s597(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = shl <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s598(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = lshr <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s599(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = ashr <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s600(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = and <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s601(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = or <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

define void @s602(<4 x i8> %a, <4 x i8> %b, ptr %o) {
  %r = xor <4 x i8> %a, %b
  store <4 x i8> %r, ptr %o
  ret void
}

declare i16 @llvm.ctpop.i16(i16)
define void @s603(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.ctpop.i16(i16 %a)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.ctpop.i32(i32)
define void @s604(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.ctpop.i32(i32 %a)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.ctpop.i64(i64)
define void @s605(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.ctpop.i64(i64 %a)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.bitreverse.i16(i16)
define void @s606(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.bitreverse.i16(i16 %a)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.bitreverse.i32(i32)
define void @s607(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.bitreverse.i32(i32 %a)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.bitreverse.i64(i64)
define void @s608(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.bitreverse.i64(i64 %a)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.bswap.i16(i16)
define void @s609(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.bswap.i16(i16 %a)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.bswap.i32(i32)
define void @s610(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.bswap.i32(i32 %a)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.bswap.i64(i64)
define void @s611(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.bswap.i64(i64 %a)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.ctlz.i16(i16, i1)
define void @s612(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.ctlz.i16(i16 %a, i1 false)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.ctlz.i32(i32, i1)
define void @s613(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.ctlz.i64(i64, i1)
define void @s614(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.ctlz.i64(i64 %a, i1 false)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.cttz.i16(i16, i1)
define void @s615(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.cttz.i16(i16 %a, i1 true)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.cttz.i32(i32, i1)
define void @s616(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.cttz.i32(i32 %a, i1 true)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.cttz.i64(i64, i1)
define void @s617(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.cttz.i64(i64 %a, i1 true)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.fshl.i16(i16, i16, i16)
define void @s618(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.fshl.i16(i16 %a, i16 %b, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.fshl.i32(i32, i32, i32)
define void @s619(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.fshl.i64(i64, i64, i64)
define void @s620(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.fshr.i16(i16, i16, i16)
define void @s621(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.fshr.i16(i16 %a, i16 %b, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.fshr.i32(i32, i32, i32)
define void @s622(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.fshr.i64(i64, i64, i64)
define void @s623(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.fshr.i64(i64 %a, i64 %b, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.smax.i16(i16, i16)
define void @s624(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.smax.i16(i16 %a, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.smax.i32(i32, i32)
define void @s625(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.smax.i64(i64, i64)
define void @s626(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.umin.i16(i16, i16)
define void @s627(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.umin.i16(i16 %a, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.umin.i32(i32, i32)
define void @s628(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.umin.i64(i64, i64)
define void @s629(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.umin.i64(i64 %a, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.abs.i16(i16, i1)
define void @s630(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.abs.i16(i16 %a, i1 false)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.abs.i32(i32, i1)
define void @s631(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.abs.i32(i32 %a, i1 false)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.abs.i64(i64, i1)
define void @s632(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.abs.i64(i64 %a, i1 false)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.sadd.sat.i16(i16, i16)
define void @s633(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.sadd.sat.i16(i16 %a, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.sadd.sat.i32(i32, i32)
define void @s634(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.sadd.sat.i32(i32 %a, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.sadd.sat.i64(i64, i64)
define void @s635(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.sadd.sat.i64(i64 %a, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare i16 @llvm.usub.sat.i16(i16, i16)
define void @s636(i16 %a, i16 %b, ptr %o) {
  %r = call i16 @llvm.usub.sat.i16(i16 %a, i16 %b)
  store i16 %r, ptr %o
  ret void
}

declare i32 @llvm.usub.sat.i32(i32, i32)
define void @s637(i32 %a, i32 %b, ptr %o) {
  %r = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)
  store i32 %r, ptr %o
  ret void
}

declare i64 @llvm.usub.sat.i64(i64, i64)
define void @s638(i64 %a, i64 %b, ptr %o) {
  %r = call i64 @llvm.usub.sat.i64(i64 %a, i64 %b)
  store i64 %r, ptr %o
  ret void
}

declare { i16, i1 } @llvm.uadd.with.overflow.i16(i16, i16)
define void @s639(i16 %a, i16 %b, ptr %o) {
  %r = call { i16, i1 } @llvm.uadd.with.overflow.i16(i16 %a, i16 %b)
  store { i16, i1 } %r, ptr %o
  ret void
}

declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
define void @s640(i32 %a, i32 %b, ptr %o) {
  %r = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  store { i32, i1 } %r, ptr %o
  ret void
}

declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
define void @s641(i64 %a, i64 %b, ptr %o) {
  %r = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  store { i64, i1 } %r, ptr %o
  ret void
}

declare { i16, i1 } @llvm.smul.with.overflow.i16(i16, i16)
define void @s642(i16 %a, i16 %b, ptr %o) {
  %r = call { i16, i1 } @llvm.smul.with.overflow.i16(i16 %a, i16 %b)
  store { i16, i1 } %r, ptr %o
  ret void
}

declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
define void @s643(i32 %a, i32 %b, ptr %o) {
  %r = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %a, i32 %b)
  store { i32, i1 } %r, ptr %o
  ret void
}

declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
define void @s644(i64 %a, i64 %b, ptr %o) {
  %r = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %a, i64 %b)
  store { i64, i1 } %r, ptr %o
  ret void
}

declare half @llvm.sqrt.f16(half)
define void @s645(half %a, half %b, ptr %o) {
  %r = call  half @llvm.sqrt.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.sqrt.bf16(bfloat)
define void @s646(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.sqrt.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.sqrt.f32(float)
define void @s647(float %a, float %b, ptr %o) {
  %r = call  float @llvm.sqrt.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.sqrt.f64(double)
define void @s648(double %a, double %b, ptr %o) {
  %r = call  double @llvm.sqrt.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.sqrt.v2f16(<2 x half>)
define void @s649(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.sqrt.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.sqrt.v2bf16(<2 x bfloat>)
define void @s650(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.sqrt.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.fma.f16(half, half, half)
define void @s651(half %a, half %b, ptr %o) {
  %r = call  half @llvm.fma.f16(half %a, half %b, half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)
define void @s652(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.fma.bf16(bfloat %a, bfloat %b, bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.fma.f32(float, float, float)
define void @s653(float %a, float %b, ptr %o) {
  %r = call  float @llvm.fma.f32(float %a, float %b, float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.fma.f64(double, double, double)
define void @s654(double %a, double %b, ptr %o) {
  %r = call  double @llvm.fma.f64(double %a, double %b, double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
define void @s655(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.fma.v2f16(<2 x half> %a, <2 x half> %b, <2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat>, <2 x bfloat>, <2 x bfloat>)
define void @s656(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b, <2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.fabs.f16(half)
define void @s657(half %a, half %b, ptr %o) {
  %r = call  half @llvm.fabs.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.fabs.bf16(bfloat)
define void @s658(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.fabs.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.fabs.f32(float)
define void @s659(float %a, float %b, ptr %o) {
  %r = call  float @llvm.fabs.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.fabs.f64(double)
define void @s660(double %a, double %b, ptr %o) {
  %r = call  double @llvm.fabs.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.fabs.v2f16(<2 x half>)
define void @s661(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.fabs.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.fabs.v2bf16(<2 x bfloat>)
define void @s662(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.fabs.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.floor.f16(half)
define void @s663(half %a, half %b, ptr %o) {
  %r = call  half @llvm.floor.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.floor.bf16(bfloat)
define void @s664(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.floor.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.floor.f32(float)
define void @s665(float %a, float %b, ptr %o) {
  %r = call  float @llvm.floor.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.floor.f64(double)
define void @s666(double %a, double %b, ptr %o) {
  %r = call  double @llvm.floor.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.floor.v2f16(<2 x half>)
define void @s667(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.floor.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.floor.v2bf16(<2 x bfloat>)
define void @s668(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.floor.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.ceil.f16(half)
define void @s669(half %a, half %b, ptr %o) {
  %r = call  half @llvm.ceil.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.ceil.bf16(bfloat)
define void @s670(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.ceil.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.ceil.f32(float)
define void @s671(float %a, float %b, ptr %o) {
  %r = call  float @llvm.ceil.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.ceil.f64(double)
define void @s672(double %a, double %b, ptr %o) {
  %r = call  double @llvm.ceil.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.ceil.v2f16(<2 x half>)
define void @s673(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.ceil.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.ceil.v2bf16(<2 x bfloat>)
define void @s674(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.ceil.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.trunc.f16(half)
define void @s675(half %a, half %b, ptr %o) {
  %r = call  half @llvm.trunc.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.trunc.bf16(bfloat)
define void @s676(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.trunc.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.trunc.f32(float)
define void @s677(float %a, float %b, ptr %o) {
  %r = call  float @llvm.trunc.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.trunc.f64(double)
define void @s678(double %a, double %b, ptr %o) {
  %r = call  double @llvm.trunc.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.trunc.v2f16(<2 x half>)
define void @s679(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.trunc.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.trunc.v2bf16(<2 x bfloat>)
define void @s680(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.trunc.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.rint.f16(half)
define void @s681(half %a, half %b, ptr %o) {
  %r = call  half @llvm.rint.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.rint.bf16(bfloat)
define void @s682(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.rint.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.rint.f32(float)
define void @s683(float %a, float %b, ptr %o) {
  %r = call  float @llvm.rint.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.rint.f64(double)
define void @s684(double %a, double %b, ptr %o) {
  %r = call  double @llvm.rint.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.rint.v2f16(<2 x half>)
define void @s685(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.rint.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.rint.v2bf16(<2 x bfloat>)
define void @s686(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.rint.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.nearbyint.f16(half)
define void @s687(half %a, half %b, ptr %o) {
  %r = call  half @llvm.nearbyint.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.nearbyint.bf16(bfloat)
define void @s688(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.nearbyint.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.nearbyint.f32(float)
define void @s689(float %a, float %b, ptr %o) {
  %r = call  float @llvm.nearbyint.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.nearbyint.f64(double)
define void @s690(double %a, double %b, ptr %o) {
  %r = call  double @llvm.nearbyint.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.nearbyint.v2f16(<2 x half>)
define void @s691(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.nearbyint.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.nearbyint.v2bf16(<2 x bfloat>)
define void @s692(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.nearbyint.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.minnum.f16(half, half)
define void @s693(half %a, half %b, ptr %o) {
  %r = call  half @llvm.minnum.f16(half %a, half %b)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.minnum.bf16(bfloat, bfloat)
define void @s694(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.minnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.minnum.f32(float, float)
define void @s695(float %a, float %b, ptr %o) {
  %r = call  float @llvm.minnum.f32(float %a, float %b)
  store float %r, ptr %o
  ret void
}

declare double @llvm.minnum.f64(double, double)
define void @s696(double %a, double %b, ptr %o) {
  %r = call  double @llvm.minnum.f64(double %a, double %b)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.minnum.v2f16(<2 x half>, <2 x half>)
define void @s697(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.minnum.v2f16(<2 x half> %a, <2 x half> %b)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.minnum.v2bf16(<2 x bfloat>, <2 x bfloat>)
define void @s698(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.minnum.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.maxnum.f16(half, half)
define void @s699(half %a, half %b, ptr %o) {
  %r = call  half @llvm.maxnum.f16(half %a, half %b)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.maxnum.bf16(bfloat, bfloat)
define void @s700(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.maxnum.bf16(bfloat %a, bfloat %b)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.maxnum.f32(float, float)
define void @s701(float %a, float %b, ptr %o) {
  %r = call  float @llvm.maxnum.f32(float %a, float %b)
  store float %r, ptr %o
  ret void
}

declare double @llvm.maxnum.f64(double, double)
define void @s702(double %a, double %b, ptr %o) {
  %r = call  double @llvm.maxnum.f64(double %a, double %b)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.maxnum.v2f16(<2 x half>, <2 x half>)
define void @s703(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.maxnum.v2f16(<2 x half> %a, <2 x half> %b)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.maxnum.v2bf16(<2 x bfloat>, <2 x bfloat>)
define void @s704(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.maxnum.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.minimum.f16(half, half)
define void @s705(half %a, half %b, ptr %o) {
  %r = call  half @llvm.minimum.f16(half %a, half %b)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.minimum.bf16(bfloat, bfloat)
define void @s706(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.minimum.bf16(bfloat %a, bfloat %b)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.minimum.f32(float, float)
define void @s707(float %a, float %b, ptr %o) {
  %r = call  float @llvm.minimum.f32(float %a, float %b)
  store float %r, ptr %o
  ret void
}

declare double @llvm.minimum.f64(double, double)
define void @s708(double %a, double %b, ptr %o) {
  %r = call  double @llvm.minimum.f64(double %a, double %b)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.minimum.v2f16(<2 x half>, <2 x half>)
define void @s709(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.minimum.v2f16(<2 x half> %a, <2 x half> %b)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.minimum.v2bf16(<2 x bfloat>, <2 x bfloat>)
define void @s710(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.minimum.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.maximum.f16(half, half)
define void @s711(half %a, half %b, ptr %o) {
  %r = call  half @llvm.maximum.f16(half %a, half %b)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.maximum.bf16(bfloat, bfloat)
define void @s712(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.maximum.bf16(bfloat %a, bfloat %b)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.maximum.f32(float, float)
define void @s713(float %a, float %b, ptr %o) {
  %r = call  float @llvm.maximum.f32(float %a, float %b)
  store float %r, ptr %o
  ret void
}

declare double @llvm.maximum.f64(double, double)
define void @s714(double %a, double %b, ptr %o) {
  %r = call  double @llvm.maximum.f64(double %a, double %b)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.maximum.v2f16(<2 x half>, <2 x half>)
define void @s715(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.maximum.v2f16(<2 x half> %a, <2 x half> %b)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.maximum.v2bf16(<2 x bfloat>, <2 x bfloat>)
define void @s716(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.maximum.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.copysign.f16(half, half)
define void @s717(half %a, half %b, ptr %o) {
  %r = call  half @llvm.copysign.f16(half %a, half %b)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.copysign.bf16(bfloat, bfloat)
define void @s718(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.copysign.bf16(bfloat %a, bfloat %b)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.copysign.f32(float, float)
define void @s719(float %a, float %b, ptr %o) {
  %r = call  float @llvm.copysign.f32(float %a, float %b)
  store float %r, ptr %o
  ret void
}

declare double @llvm.copysign.f64(double, double)
define void @s720(double %a, double %b, ptr %o) {
  %r = call  double @llvm.copysign.f64(double %a, double %b)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.copysign.v2f16(<2 x half>, <2 x half>)
define void @s721(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.copysign.v2f16(<2 x half> %a, <2 x half> %b)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.copysign.v2bf16(<2 x bfloat>, <2 x bfloat>)
define void @s722(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.copysign.v2bf16(<2 x bfloat> %a, <2 x bfloat> %b)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.sin.f16(half)
define void @s723(half %a, half %b, ptr %o) {
  %r = call afn half @llvm.sin.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.sin.bf16(bfloat)
define void @s724(bfloat %a, bfloat %b, ptr %o) {
  %r = call afn bfloat @llvm.sin.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.sin.f32(float)
define void @s725(float %a, float %b, ptr %o) {
  %r = call afn float @llvm.sin.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.sin.f64(double)
define void @s726(double %a, double %b, ptr %o) {
  %r = call afn double @llvm.sin.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.sin.v2f16(<2 x half>)
define void @s727(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call afn <2 x half> @llvm.sin.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.sin.v2bf16(<2 x bfloat>)
define void @s728(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call afn <2 x bfloat> @llvm.sin.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.cos.f16(half)
define void @s729(half %a, half %b, ptr %o) {
  %r = call afn half @llvm.cos.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.cos.bf16(bfloat)
define void @s730(bfloat %a, bfloat %b, ptr %o) {
  %r = call afn bfloat @llvm.cos.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.cos.f32(float)
define void @s731(float %a, float %b, ptr %o) {
  %r = call afn float @llvm.cos.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.cos.f64(double)
define void @s732(double %a, double %b, ptr %o) {
  %r = call afn double @llvm.cos.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.cos.v2f16(<2 x half>)
define void @s733(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call afn <2 x half> @llvm.cos.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.cos.v2bf16(<2 x bfloat>)
define void @s734(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call afn <2 x bfloat> @llvm.cos.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.exp2.f16(half)
define void @s735(half %a, half %b, ptr %o) {
  %r = call afn half @llvm.exp2.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.exp2.bf16(bfloat)
define void @s736(bfloat %a, bfloat %b, ptr %o) {
  %r = call afn bfloat @llvm.exp2.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.exp2.f32(float)
define void @s737(float %a, float %b, ptr %o) {
  %r = call afn float @llvm.exp2.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.exp2.f64(double)
define void @s738(double %a, double %b, ptr %o) {
  %r = call afn double @llvm.exp2.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.exp2.v2f16(<2 x half>)
define void @s739(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call afn <2 x half> @llvm.exp2.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.exp2.v2bf16(<2 x bfloat>)
define void @s740(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call afn <2 x bfloat> @llvm.exp2.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.log2.f16(half)
define void @s741(half %a, half %b, ptr %o) {
  %r = call afn half @llvm.log2.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.log2.bf16(bfloat)
define void @s742(bfloat %a, bfloat %b, ptr %o) {
  %r = call afn bfloat @llvm.log2.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.log2.f32(float)
define void @s743(float %a, float %b, ptr %o) {
  %r = call afn float @llvm.log2.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.log2.f64(double)
define void @s744(double %a, double %b, ptr %o) {
  %r = call afn double @llvm.log2.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.log2.v2f16(<2 x half>)
define void @s745(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call afn <2 x half> @llvm.log2.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.log2.v2bf16(<2 x bfloat>)
define void @s746(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call afn <2 x bfloat> @llvm.log2.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.canonicalize.f16(half)
define void @s747(half %a, half %b, ptr %o) {
  %r = call  half @llvm.canonicalize.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.canonicalize.bf16(bfloat)
define void @s748(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.canonicalize.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.canonicalize.f32(float)
define void @s749(float %a, float %b, ptr %o) {
  %r = call  float @llvm.canonicalize.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.canonicalize.f64(double)
define void @s750(double %a, double %b, ptr %o) {
  %r = call  double @llvm.canonicalize.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.canonicalize.v2f16(<2 x half>)
define void @s751(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.canonicalize.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.canonicalize.v2bf16(<2 x bfloat>)
define void @s752(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.canonicalize.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

declare half @llvm.roundeven.f16(half)
define void @s753(half %a, half %b, ptr %o) {
  %r = call  half @llvm.roundeven.f16(half %a)
  store half %r, ptr %o
  ret void
}

declare bfloat @llvm.roundeven.bf16(bfloat)
define void @s754(bfloat %a, bfloat %b, ptr %o) {
  %r = call  bfloat @llvm.roundeven.bf16(bfloat %a)
  store bfloat %r, ptr %o
  ret void
}

declare float @llvm.roundeven.f32(float)
define void @s755(float %a, float %b, ptr %o) {
  %r = call  float @llvm.roundeven.f32(float %a)
  store float %r, ptr %o
  ret void
}

declare double @llvm.roundeven.f64(double)
define void @s756(double %a, double %b, ptr %o) {
  %r = call  double @llvm.roundeven.f64(double %a)
  store double %r, ptr %o
  ret void
}

declare <2 x half> @llvm.roundeven.v2f16(<2 x half>)
define void @s757(<2 x half> %a, <2 x half> %b, ptr %o) {
  %r = call  <2 x half> @llvm.roundeven.v2f16(<2 x half> %a)
  store <2 x half> %r, ptr %o
  ret void
}

declare <2 x bfloat> @llvm.roundeven.v2bf16(<2 x bfloat>)
define void @s758(<2 x bfloat> %a, <2 x bfloat> %b, ptr %o) {
  %r = call  <2 x bfloat> @llvm.roundeven.v2bf16(<2 x bfloat> %a)
  store <2 x bfloat> %r, ptr %o
  ret void
}

define void @s759(ptr %a, ptr %o) {
  %r = addrspacecast ptr %a to ptr addrspace(1)
  %i = ptrtoint ptr addrspace(1) %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s760(ptr %a, ptr %o) {
  %r = addrspacecast ptr %a to ptr addrspace(3)
  %i = ptrtoint ptr addrspace(3) %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s761(ptr %a, ptr %o) {
  %r = addrspacecast ptr %a to ptr addrspace(4)
  %i = ptrtoint ptr addrspace(4) %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s762(ptr %a, ptr %o) {
  %r = addrspacecast ptr %a to ptr addrspace(5)
  %i = ptrtoint ptr addrspace(5) %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s763(ptr addrspace(1) %a, ptr %o) {
  %r = addrspacecast ptr addrspace(1) %a to ptr
  %i = ptrtoint ptr %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s764(ptr addrspace(3) %a, ptr %o) {
  %r = addrspacecast ptr addrspace(3) %a to ptr
  %i = ptrtoint ptr %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s765(ptr addrspace(4) %a, ptr %o) {
  %r = addrspacecast ptr addrspace(4) %a to ptr
  %i = ptrtoint ptr %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s766(ptr addrspace(5) %a, ptr %o) {
  %r = addrspacecast ptr addrspace(5) %a to ptr
  %i = ptrtoint ptr %r to i64
  store i64 %i, ptr %o
  ret void
}

define void @s767(ptr byval(%pair) align 8 %a, ptr %o) {
  %v = load %pair, ptr %a
  %r = call %pair (%pair, i8, i16, i1, i128, ...) @other(%pair %v, i8 signext 3, i16 zeroext 4, i1 true, i128 5, i32 6, double 7.0)
  store %pair %r, ptr %o
  ret void
}

define void @s768(ptr %f, i32 %a, ptr %o) {
  %r = call { i32, [2 x i64], float } %f(i32 %a, <4 x float> zeroinitializer, ptr %o)
  store { i32, [2 x i64], float } %r, ptr %o
  ret void
}

define void @s769(i32 %a, ptr %o) {
  %r = call i32 (i32, ...) @varied(i32 %a, i64 2, double 3.0, ptr %o)
  store i32 %r, ptr %o
  ret void
}

define void @s770(i32 %n, ptr %o) {
  %a = alloca [16 x i32], align 16
  %q = getelementptr [16 x i32], ptr %a, i32 0, i32 %n
  store volatile i32 %n, ptr %q
  %r = load volatile i32, ptr %a
  store i32 %r, ptr %o
  ret void
}

define void @s771(i32 %n, i64 %m, float %f, double %d, i16 %h, ptr %o) {
  %r = call i32 asm sideeffect "add.s32 $0, $1, $2;", "=r,r,n"(i32 %n, i32 5)
  %x = call { float, i64 } asm "{ mov.f32 $0, $2; mov.b64 $1, $3; }", "=f,=l,f,l"(float %f, i64 %m)
  call void asm sideeffect "st.global.u16 [$0], $1;", "l,h,~{memory}"(i64 %m, i16 %h)
  store i32 %r, ptr %o
  ret void
}

declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
define void @s772(ptr %a, ptr %b, i64 %n) {
  call void @llvm.memcpy.p0.p0.i32(ptr %a, ptr %b, i32 64, i1 false)
  ret void
}

declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
define void @s773(ptr %a, ptr %b, i64 %n) {
  call void @llvm.memmove.p0.p0.i32(ptr %a, ptr %b, i32 64, i1 false)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @s774(ptr %a, ptr %b, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
  ret void
}

declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define void @s775(ptr %a, ptr %b, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
  ret void
}

define void @sw(i32 %n, ptr %o) {
  switch i32 %n, label %d [ i32 0, label %a
 i32 1, label %b
 i32 2, label %c
 i32 3, label %a
 i32 4, label %b
 i32 9, label %c ]
a:
  store volatile i32 1, ptr %o
  ret void
b:
  store volatile i32 2, ptr %o
  br label %c
c:
  store volatile i32 3, ptr %o
  unreachable
d:
  ret void
}

