/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz target without libFuzzer: gives it each file of the directories that are named, in the order of their names, and prints how
 * many.  For architectures whose compiler here has no libFuzzer (tests/host/arm64-units).  The target aborts where something does not hold.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static size_t replay(const char *directory)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);
	size_t replayed = 0;

	REQUIRE(count >= 0);
	for (int i = 0; i < count; i++) {
		char path[4096];
		size_t length, size;
		uint8_t *data;
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (*names[i]->d_name == '.')
			continue;
		file = fopen(path, "r");
		REQUIRE(file && !fseek(file, 0, SEEK_END));
		length = (size_t)ftell(file);
		data = malloc(length + 1);
		REQUIRE(data);
		rewind(file);
		size = fread(data, 1, length, file);
		fclose(file);
		/* the last one that is named broke it */
		fprintf(stderr, "%s\n", path);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
		replayed++;
	}
	return replayed;
}

int main(int argc, char **argv)
{
	size_t replayed = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		replayed += replay(argv[i]);
	printf("%zu inputs\n", replayed);
	return 0;
}
