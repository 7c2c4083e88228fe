// SPDX-License-Identifier: BSD-2-Clause
/* cxx_throws: says "ready", waits for a line, and throws in C++, with the library that g++ links: known types, known numbers. */
#include <cstdio>
#include <stdexcept>
#include <string>

namespace db {
struct timeout {
	int seconds;
};
}

static void again()
{
	try {
		throw db::timeout{ 5 };
	} catch (...) {
		throw;
	}
}

static void run(int what)
{
	switch (what) {
	case 0:
		throw std::runtime_error("one");
	case 1:
		throw 2;
	case 2:
		throw "three";
	case 3:
		/* of the library itself */
		std::string().at(4);
		return;
	default:
		again();
	}
}

int main()
{
	int caught = 0;

	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (int what = 0; what < 5; what++)
		try {
			run(what);
		} catch (...) {
			caught++;
		}
	printf("caught %d\n", caught);
	return 0;
}
