/* pair.c: a server and a client, its child, that talk over TCP. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void check(int ok)
{
	if (!ok)
		_exit(1);
}

static void client(const struct sockaddr_in *to)
{
	char buf[64];
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	check(connect(s, (const struct sockaddr *)to, sizeof(*to)) == 0);
	check(send(s, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL) == 18);
	check(recv(s, buf, sizeof(buf), MSG_WAITALL) == 11);
	shutdown(s, SHUT_RDWR);
	_exit(0);
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, from;
	socklen_t len = sizeof(at);
	char buf[64];
	int s = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP), one = 1, status, c;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	check(bind(s, (struct sockaddr *)&at, sizeof(at)) == 0);
	check(getsockname(s, (struct sockaddr *)&at, &len) == 0);
	check(listen(s, 1) == 0);
	if (fork() == 0)
		client(&at);
	len = sizeof(from);
	c = accept4(s, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
	check(recv(c, buf, 18, MSG_WAITALL) == 18);
	check(write(c, "hello\n", 6) == 6);
	check(write(c, "world", 5) == 5);
	close(c);
	check(wait(&status) > 0);
	return status;
}
