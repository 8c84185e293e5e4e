// Context switch for x86-64 (System V ABI). Contracts: context.h. Pictures of
// the frame: README.md. Source: hpdc15, Appendix A.
//
// The unwinding notes (.cfi) are exact at every instruction: a profiler's
// signal or a debugger's step may stop at any of them.

#if defined(__x86_64__)

#include "common/context/function.inc"

	.text

// Offsets in the saved frame. The lowest word only keeps the stack aligned.
// The resume address is the return address that the caller's own call pushed.
	.set FRAME_R15, 8
	.set FRAME_R14, 16
	.set FRAME_R13, 24
	.set FRAME_R12, 32
	.set FRAME_RBX, 40
	.set FRAME_RBP, 48
	.set FRAME_RESUME, 56
	.set FRAME_BYTES, 64

// Says that %rsp points to a saved frame of whose execution this is a part.
	.macro CFI_FRAME_AT_RSP
	.cfi_def_cfa %rsp, FRAME_BYTES
	.cfi_offset %rbp, FRAME_RBP - FRAME_BYTES
	.cfi_offset %rbx, FRAME_RBX - FRAME_BYTES
	.cfi_offset %r12, FRAME_R12 - FRAME_BYTES
	.cfi_offset %r13, FRAME_R13 - FRAME_BYTES
	.cfi_offset %r14, FRAME_R14 - FRAME_BYTES
	.cfi_offset %r15, FRAME_R15 - FRAME_BYTES
	.endm

// Makes the frame at function entry. While registers are being stored they
// also still hold their values, so the unwinding notes may come last.
	.macro SAVE_FRAME
	subq $FRAME_RESUME, %rsp
	.cfi_adjust_cfa_offset FRAME_RESUME
	movq %rbp, FRAME_RBP(%rsp)
	movq %rbx, FRAME_RBX(%rsp)
	movq %r12, FRAME_R12(%rsp)
	movq %r13, FRAME_R13(%rsp)
	movq %r14, FRAME_R14(%rsp)
	movq %r15, FRAME_R15(%rsp)
	CFI_FRAME_AT_RSP
	.endm

// Goes on where the frame at \ctx was saved. Moving %rsp first protects the
// frame from signal handlers on this stack. The last step is a jump and not a
// ret: the return predictor could only be wrong about it, and would then be
// off by one for the returns that follow.
	.macro CONTINUE_FRAME ctx
	movq \ctx, %rsp
	CFI_FRAME_AT_RSP
	movq FRAME_RBP(%rsp), %rbp
	movq FRAME_RBX(%rsp), %rbx
	movq FRAME_R12(%rsp), %r12
	movq FRAME_R13(%rsp), %r13
	movq FRAME_R14(%rsp), %r14
	movq FRAME_R15(%rsp), %r15
	movq FRAME_RESUME(%rsp), %rcx
	addq $FRAME_BYTES, %rsp
	// The frame now lies in the red zone, where it is still whole.
	.cfi_def_cfa_offset 0
	jmpq *%rcx
	.endm

// void magpie_context_save_and_call(void (*f)(Context*, a, b, c), a, b, c)
// %rsi, %rdx, %rcx hold a to c for the caller and for f: leave them alone.
FUNCTION magpie_context_save_and_call
	SAVE_FRAME
	movq %rdi, %rax
	movq %rsp, %rdi			// ctx
	callq *%rax
	addq $FRAME_RESUME, %rsp	// f kept the registers: nothing to load
	// The frame now lies in the red zone, where it is still whole.
	.cfi_def_cfa_offset 8
	retq
END_FUNCTION magpie_context_save_and_call

// void magpie_context_resume(Context* ctx)
FUNCTION magpie_context_resume
	CONTINUE_FRAME %rdi
END_FUNCTION magpie_context_resume

// void magpie_context_switch(Context** save, Context* to)
FUNCTION magpie_context_switch
	SAVE_FRAME
	movq %rsp, (%rdi)
	CONTINUE_FRAME %rsi
END_FUNCTION magpie_context_switch

// void magpie_context_call_on_stack(void* stack_top, void (*f)(void*), void*)
// %rbp remembers the old stack, for the return and for the unwinder.
FUNCTION magpie_context_call_on_stack
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq %rdi, %rsp
	movq %rdx, %rdi
	callq *%rsi
	movq %rbp, %rsp
	popq %rbp
	.cfi_def_cfa %rsp, 8
	retq
END_FUNCTION magpie_context_call_on_stack

// void magpie_context_start_on_stack(void* stack_top, void (*f)(void*), void*)
// An undefined return address and a frame pointer of zero say: outermost.
FUNCTION magpie_context_start_on_stack
	movq %rdi, %rsp
	.cfi_def_cfa %rsp, 0
	.cfi_undefined %rip
	xorl %ebp, %ebp
	movq %rdx, %rdi
	callq *%rsi
	ud2
END_FUNCTION magpie_context_start_on_stack

#endif  // __x86_64__

	.section .note.GNU-stack, "", @progbits
