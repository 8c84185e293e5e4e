// Test helpers for x86-64. Contracts: registers.h.

#if defined(__x86_64__)

#include "common/context/function.inc"

	.text

	.macro PUSH reg
	pushq %\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\reg, 0
	.endm

	.macro POP reg
	popq %\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\reg
	.endm

	.macro PUSH_ALL
	.irp reg, rbx, rbp, r12, r13, r14, r15
	PUSH \reg
	.endr
	.endm

	.macro POP_ALL
	.irp reg, r15, r14, r13, r12, rbp, rbx
	POP \reg
	.endr
	.endm

// Offsets in Planted.
	.set OUT, 48
	.set SP_BEFORE, 96
	.set SP_AFTER, 104

FUNCTION magpie_test_plant
	PUSH_ALL
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	movq %rsi, %rax
	movq %rsp, SP_BEFORE(%rdi)
	movq 0(%rdi), %rbx
	movq 8(%rdi), %rbp
	movq 16(%rdi), %r12
	movq 24(%rdi), %r13
	movq 32(%rdi), %r14
	movq 40(%rdi), %r15
	movq %rdx, %rdi
	movq %rcx, %rsi
	movq %r8, %rdx
	callq *%rax
	movq (%rsp), %rax
	movq %rbx, OUT + 0(%rax)
	movq %rbp, OUT + 8(%rax)
	movq %r12, OUT + 16(%rax)
	movq %r13, OUT + 24(%rax)
	movq %r14, OUT + 32(%rax)
	movq %r15, OUT + 40(%rax)
	movq %rsp, SP_AFTER(%rax)
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	POP_ALL
	retq
END_FUNCTION magpie_test_plant

FUNCTION magpie_test_clobber
	PUSH_ALL
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	movq %rdi, %rax
	movq %rsi, %rdi
	.irp reg, rbx, rbp, r12, r13, r14, r15
	movq $-1, %\reg
	.endr
	callq *%rax
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	POP_ALL
	retq
END_FUNCTION magpie_test_clobber

FUNCTION magpie_test_destroy
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	.irp reg, rbx, rbp, r12, r13, r14, r15
	movq $-1, %\reg
	.endr
	callq *%rsi
	ud2
END_FUNCTION magpie_test_destroy

#endif  // __x86_64__

	.section .note.GNU-stack, "", @progbits
