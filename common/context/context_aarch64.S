// Context switch for AArch64 (AAPCS64). Contracts: context.h. Pictures of the
// frame: README.md. Source: hpdc15, Appendix A, carried over from x86-64.
//
// The unwinding notes (.cfi) are exact at every instruction: a profiler's
// signal or a debugger's step may stop at any of them.

#if defined(__aarch64__)

#include "common/context/function.inc"

	.text

// Offsets in the saved frame, each of a register pair. The frame record (x29,
// x30) comes first, so that frame-pointer unwinding finds it as well; x30 is
// the resume address.
	.set FRAME_X29, 0
	.set FRAME_X19, 16
	.set FRAME_X21, 32
	.set FRAME_X23, 48
	.set FRAME_X25, 64
	.set FRAME_X27, 80
	.set FRAME_D8, 96
	.set FRAME_D10, 112
	.set FRAME_D12, 128
	.set FRAME_D14, 144
	.set FRAME_BYTES, 160

	.macro CFI_PAIR first, second, offset
	.cfi_offset \first, \offset - FRAME_BYTES
	.cfi_offset \second, \offset - FRAME_BYTES + 8
	.endm

// Says that sp points to a saved frame of whose execution this is a part.
	.macro CFI_FRAME_AT_SP
	.cfi_def_cfa sp, FRAME_BYTES
	CFI_PAIR x29, x30, FRAME_X29
	CFI_PAIR x19, x20, FRAME_X19
	CFI_PAIR x21, x22, FRAME_X21
	CFI_PAIR x23, x24, FRAME_X23
	CFI_PAIR x25, x26, FRAME_X25
	CFI_PAIR x27, x28, FRAME_X27
	CFI_PAIR d8, d9, FRAME_D8
	CFI_PAIR d10, d11, FRAME_D10
	CFI_PAIR d12, d13, FRAME_D12
	CFI_PAIR d14, d15, FRAME_D14
	.endm

// Makes the frame at function entry. While registers are being stored they
// also still hold their values, so the unwinding notes may come last.
	.macro SAVE_FRAME
	stp x29, x30, [sp, #-FRAME_BYTES]!
	.cfi_adjust_cfa_offset FRAME_BYTES
	stp x19, x20, [sp, #FRAME_X19]
	stp x21, x22, [sp, #FRAME_X21]
	stp x23, x24, [sp, #FRAME_X23]
	stp x25, x26, [sp, #FRAME_X25]
	stp x27, x28, [sp, #FRAME_X27]
	stp d8, d9, [sp, #FRAME_D8]
	stp d10, d11, [sp, #FRAME_D10]
	stp d12, d13, [sp, #FRAME_D12]
	stp d14, d15, [sp, #FRAME_D14]
	CFI_FRAME_AT_SP
	.endm

// Goes on where the frame at \ctx was saved. Moving sp first protects the
// frame from signal handlers on this stack. The frame is dropped last: there is
// no red zone. The last step is a plain branch and not a ret: the return
// predictor could only be wrong about it, and would then be off by one for the
// returns that follow.
	.macro CONTINUE_FRAME ctx
	mov sp, \ctx
	CFI_FRAME_AT_SP
	ldp x19, x20, [sp, #FRAME_X19]
	ldp x21, x22, [sp, #FRAME_X21]
	ldp x23, x24, [sp, #FRAME_X23]
	ldp x25, x26, [sp, #FRAME_X25]
	ldp x27, x28, [sp, #FRAME_X27]
	ldp d8, d9, [sp, #FRAME_D8]
	ldp d10, d11, [sp, #FRAME_D10]
	ldp d12, d13, [sp, #FRAME_D12]
	ldp d14, d15, [sp, #FRAME_D14]
	ldp x29, x30, [sp], #FRAME_BYTES
	CFI_FRAME_GONE
	br x30
	.endm

// Says that the frame is gone and all registers are the caller's again.
	.macro CFI_FRAME_GONE
	.cfi_def_cfa sp, 0
	.irp reg, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29, x30
	.cfi_restore \reg
	.endr
	.irp reg, d8, d9, d10, d11, d12, d13, d14, d15
	.cfi_restore \reg
	.endr
	.endm

// void magpie_context_save_and_call(void (*f)(Context*, a, b, c), a, b, c)
// x1 to x3 hold a to c for the caller and for f: leave them alone.
FUNCTION magpie_context_save_and_call
	SAVE_FRAME
	mov x29, sp
	mov x9, x0
	mov x0, sp			// ctx
	blr x9
	// f kept the other registers: nothing else to load.
	ldp x29, x30, [sp], #FRAME_BYTES
	CFI_FRAME_GONE
	ret
END_FUNCTION magpie_context_save_and_call

// void magpie_context_resume(Context* ctx)
FUNCTION magpie_context_resume
	CONTINUE_FRAME x0
END_FUNCTION magpie_context_resume

// void magpie_context_switch(Context** save, Context* to)
FUNCTION magpie_context_switch
	SAVE_FRAME
	mov x2, sp
	str x2, [x0]
	CONTINUE_FRAME x1
END_FUNCTION magpie_context_switch

// void magpie_context_call_on_stack(void* stack_top, void (*f)(void*), void*)
// x29 remembers the old stack, for the return and for the unwinder.
FUNCTION magpie_context_call_on_stack
	stp x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov x29, sp
	.cfi_def_cfa_register x29
	mov sp, x0
	mov x0, x2
	blr x1
	mov sp, x29
	.cfi_def_cfa_register sp
	ldp x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	ret
END_FUNCTION magpie_context_call_on_stack

// void magpie_context_start_on_stack(void* stack_top, void (*f)(void*), void*)
// An undefined return address and a frame pointer of zero say: outermost.
FUNCTION magpie_context_start_on_stack
	mov sp, x0
	.cfi_undefined x30
	mov x29, xzr
	mov x30, xzr
	mov x0, x2
	blr x1
	brk #0
END_FUNCTION magpie_context_start_on_stack

#endif  // __aarch64__

	.section .note.GNU-stack, "", %progbits
