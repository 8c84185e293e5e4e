// Test helpers for AArch64. Contracts: registers.h.

#if defined(__aarch64__)

#include "common/context/function.inc"

	.text

// One frame for all helpers: the callee-saved registers and one more word.
	.set FRAME_BYTES, 176
	.set FRAME_WORD, 160

	.macro FOR_ALL_PAIRS op
	\op x29, x30, 0
	\op x19, x20, 16
	\op x21, x22, 32
	\op x23, x24, 48
	\op x25, x26, 64
	\op x27, x28, 80
	\op d8, d9, 96
	\op d10, d11, 112
	\op d12, d13, 128
	\op d14, d15, 144
	.endm

	.macro SAVE first, second, offset
	stp \first, \second, [sp, #\offset]
	.cfi_rel_offset \first, \offset
	.cfi_rel_offset \second, \offset + 8
	.endm

	.macro SAVE_ALL
	sub sp, sp, #FRAME_BYTES
	.cfi_adjust_cfa_offset FRAME_BYTES
	FOR_ALL_PAIRS SAVE
	.endm

	.macro RESTORE first, second, offset
	ldp \first, \second, [sp, #\offset]
	.cfi_restore \first
	.cfi_restore \second
	.endm

	.macro RESTORE_ALL
	FOR_ALL_PAIRS RESTORE
	add sp, sp, #FRAME_BYTES
	.cfi_adjust_cfa_offset -FRAME_BYTES
	.endm

	.macro DESTROY_ALL
	.irp reg, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29
	mov \reg, #-1
	.endr
	.irp reg, d8, d9, d10, d11, d12, d13, d14, d15
	fmov \reg, #-1.0
	.endr
	.endm

// Loads or stores all callee-saved registers (op: ldp, ldr or stp, str) in
// Planted's order at [x, #base]. x29 is the last of the general ones.
	.macro REGISTERS pair, single, x, base
	\pair x19, x20, [\x, #\base]
	\pair x21, x22, [\x, #\base + 16]
	\pair x23, x24, [\x, #\base + 32]
	\pair x25, x26, [\x, #\base + 48]
	\pair x27, x28, [\x, #\base + 64]
	\single x29, [\x, #\base + 80]
	\pair d8, d9, [\x, #\base + 88]
	\pair d10, d11, [\x, #\base + 104]
	\pair d12, d13, [\x, #\base + 120]
	\pair d14, d15, [\x, #\base + 136]
	.endm

// Offsets in Planted.
	.set OUT, 152
	.set SP_BEFORE, 304
	.set SP_AFTER, 312

FUNCTION magpie_test_plant
	SAVE_ALL
	str x0, [sp, #FRAME_WORD]
	mov x9, sp
	str x9, [x0, #SP_BEFORE]
	mov x9, x1
	REGISTERS ldp, ldr, x0, 0
	mov x0, x2
	mov x1, x3
	mov x2, x4
	blr x9
	ldr x0, [sp, #FRAME_WORD]
	REGISTERS stp, str, x0, OUT
	mov x9, sp
	str x9, [x0, #SP_AFTER]
	RESTORE_ALL
	ret
END_FUNCTION magpie_test_plant

FUNCTION magpie_test_clobber
	SAVE_ALL
	mov x9, x0
	mov x0, x1
	DESTROY_ALL
	blr x9
	RESTORE_ALL
	ret
END_FUNCTION magpie_test_clobber

FUNCTION magpie_test_destroy
	str x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x30, 0
	DESTROY_ALL
	blr x1
	brk #0
END_FUNCTION magpie_test_destroy

#endif  // __aarch64__

	.section .note.GNU-stack, "", %progbits
