/* SPDX-License-Identifier: BSD-2-Clause */
/* A library of that name in guests, which have no C++: what throwsnoop finds where nobody names a file. Its throw returns. */
void __cxa_throw(void *object, const void *type, void (*destructor)(void *)) { __asm__ volatile("" : : "r"(object), "r"(type), "r"(destructor)); }
void __cxa_rethrow(void) { __asm__ volatile(""); }
