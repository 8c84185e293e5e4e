// Checks how code whose stacks migrate is compiled. Included by all headers
// that programs include; magpie.bazelrc has the flags, and says why.

#ifndef MAGPIE_COMMON_CONTEXT_COMPILED_H_
#define MAGPIE_COMMON_CONTEXT_COMPILED_H_

#if __cplusplus < 202002L
#error "not C++20: let the .bazelrc of this workspace import magpie.bazelrc"
#endif

#if defined(__SSP__) || defined(__SSP_STRONG__) || defined(__SSP_ALL__)
#error "a stack protector: let this .bazelrc import magpie.bazelrc"
#endif

#if defined(__PIE__) || defined(__PIC__)
#error "code for any address (PIE): let this .bazelrc import magpie.bazelrc"
#endif

#if defined(__CET__)
#error "a shadow stack (CET): let this .bazelrc import magpie.bazelrc"
#endif

#if defined(__ARM_FEATURE_BTI_DEFAULT) || defined(__ARM_FEATURE_PAC_DEFAULT)
#error "branch protection: build with --copt=-mbranch-protection=none"
#endif

#endif  // MAGPIE_COMMON_CONTEXT_COMPILED_H_
