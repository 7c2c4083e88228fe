// SPDX-License-Identifier: BSD-2-Clause
/*
 * many_symbols FILE N: writes a program of N functions, many_0 to many_N-1, which calls many_0, and many_N-1 twice, and ends.
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 16
#define FUNCTION_SIZE 8
#define BASE 0x400000

#ifdef __x86_64__
#define MACHINE EM_X86_64
#define CODE_SIZE 3
/* push %rbp; pop %rbp; ret */
static const uint8_t function[FUNCTION_SIZE] = { 0x55, 0x5d, 0xc3 };
/* xor %edi, %edi; mov $60, %eax; syscall */
static const uint8_t last[] = { 0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05 };
#else
#define MACHINE EM_AARCH64
#define CODE_SIZE 8
/* nop; ret */
static const uint8_t function[FUNCTION_SIZE] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
/* mov x0, #0; mov x8, #93; svc #0 */
static const uint8_t last[] = { 0x00, 0x00, 0x80, 0xd2, 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
#endif

/* A call at an address of one at another. */
static size_t put_call(uint8_t *code, int64_t at, int64_t to)
{
#ifdef __x86_64__
	int32_t distance = (int32_t)(to - at - 5);

	code[0] = 0xe8;
	memcpy(code + 1, &distance, 4);
	return 5;
#else
	uint32_t call = 0x94000000u | ((uint32_t)((to - at) / 4) & 0x3ffffff);

	memcpy(code, &call, 4);
	return 4;
#endif
}

int main(int argc, char **argv)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0.names";
	size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, text = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 8, start, used = 0;
	size_t code_size = count * FUNCTION_SIZE + 64, room = code_size + count * (sizeof(Elf64_Sym) + NAME_ROOM) + 4096;
	uint8_t *image = calloc(1, room), *code = image + text;
	size_t symbols = text + code_size, strings = symbols + (count + 1) * sizeof(Elf64_Sym), at = strings + 1, headers;
	FILE *file = count && image ? fopen(argv[1], "w") : NULL;

	if (!file)
		return 2;
	for (size_t i = 0; i < count; i++) {
		Elf64_Sym symbol = { .st_name = (Elf64_Word)(at - strings), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
				     .st_value = BASE + text + i * FUNCTION_SIZE, 
				     /* every other one has bytes in it that are no code */
				     .st_size = i % 2 ? FUNCTION_SIZE : CODE_SIZE };

		memcpy(code + i * FUNCTION_SIZE, function, FUNCTION_SIZE);
		memcpy(image + symbols + (i + 1) * sizeof(symbol), &symbol, sizeof(symbol));
		at += (size_t)snprintf((char *)image + at, NAME_ROOM, "many_%zu", i) + 1;
	}
	start = count * FUNCTION_SIZE;
	used = start;
	used += put_call(code + used, (int64_t)used, 0);
	for (int i = 0; i < 2; i++)
		used += put_call(code + used, (int64_t)used, (int64_t)(count - 1) * FUNCTION_SIZE);
	memcpy(code + used, last, sizeof(last));
	memcpy(image + at, names, sizeof(names));
	headers = (at + sizeof(names) + 7) / 8 * 8;
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_EXEC, .e_machine = MACHINE,
		.e_version = EV_CURRENT, .e_entry = BASE + text + start, .e_phoff = sizeof(header), .e_shoff = headers,
		.e_ehsize = sizeof(header), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 5, .e_shstrndx = 4,
	};
	Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = BASE, .p_filesz = text + code_size,
			    .p_memsz = text + code_size, .p_align = 0x10000 };
	Elf64_Shdr sections[5] = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = BASE + text,
			.sh_offset = text, .sh_size = code_size },
		[2] = { .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_offset = symbols, .sh_size = strings - symbols, .sh_link = 3, .sh_info = 1,
			.sh_entsize = sizeof(Elf64_Sym) },
		[3] = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = at - strings },
		[4] = { .sh_name = 23, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof(names) },
	};

	memcpy(image, &header, sizeof(header));
	memcpy(image + sizeof(header), &load, sizeof(load));
	memcpy(image + headers, sections, sizeof(sections));
	if (fwrite(image, headers + sizeof(sections), 1, file) != 1 || fclose(file))
		return 1;
	free(image);
	return 0;
}
