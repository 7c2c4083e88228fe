/* SPDX-License-Identifier: BSD-2-Clause */
/* Timelines: what a viewer reads, byte by byte. */
#include <stdlib.h>

#include "check.h"
#include "lib/print/timeline.h"

int main(void)
{
	static const char comm[16] = "0123456789abcdef";	/* without a 0 byte */
	const struct timeline_track track = { 7, 8 };
	struct text_buffer text = text_buffer__growing(1 << 16);
	char *all;

	timeline__begin(&text, 5, "CPUs");
	timeline__name_group(&text, 7, "a\"b\\\n</script>\xff", 20);
	timeline__name_track(&text, &track, comm, sizeof(comm));
	timeline__slice(&text, &track, 1234567, 1234567 + 5000001, "x", 1, "\"state\":\"S\"");
	timeline__slice(&text, &track, 10, 9, "", 0, "");
	timeline__instant(&text, &track, 999, "3 lost", "\"lost\":3");
	timeline__slice(&text, &track, 18446744073709551615u, 18446744073709551615u, "end", 3, "");
	timeline__end(&text);
	all = text_buffer__take(&text);
	CHECK_STR(all, "[\n"
		  "{\"ph\":\"M\",\"ts\":0,\"pid\":5,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"CPUs\"}},\n"
		  "{\"ph\":\"M\",\"ts\":0,\"pid\":7,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"a\\\"b\\\\\\n</script>\xef\xbf\xbd\"}},\n"
		  "{\"ph\":\"M\",\"ts\":0,\"pid\":7,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"0123456789abcdef\"}},\n"
		  "{\"ph\":\"X\",\"ts\":1234.567,\"dur\":5000.001,\"pid\":7,\"tid\":8,\"name\":\"x\",\"args\":{\"state\":\"S\"}},\n"
		  "{\"ph\":\"X\",\"ts\":0.010,\"dur\":0.000,\"pid\":7,\"tid\":8,\"name\":\"\",\"args\":{}},\n"
		  "{\"ph\":\"i\",\"s\":\"t\",\"ts\":0.999,\"pid\":7,\"tid\":8,\"name\":\"3 lost\",\"args\":{\"lost\":3}},\n"
		  "{\"ph\":\"X\",\"ts\":18446744073709551.615,\"dur\":0.000,\"pid\":7,\"tid\":8,\"name\":\"end\",\"args\":{}}\n"
		  "]\n");
	free(all);
	return check_done();
}
