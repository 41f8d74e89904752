// Upload sink on the port given, loopback only: reads the whole request body (Content-Length or chunked), then answers 200 with
// the number of body bytes. One thread per connection.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <sys/socket.h>
#define CAP (1 << 18)
struct in { int fd; char *b; size_t s, e; };
static int fill(struct in *i) {
  if (i->s == i->e) i->s = i->e = 0;
  if (i->e == CAP) { memmove(i->b, i->b + i->s, i->e - i->s); i->e -= i->s; i->s = 0; }
  ssize_t r = read(i->fd, i->b + i->e, CAP - i->e);
  if (r <= 0) return 0;
  i->e += r; return 1;
}
static int line(struct in *i, char *out, size_t cap) {
  size_t at = 0;
  for (;;) {
    char *nl = memchr(i->b + i->s + at, '\n', i->e - i->s - at);
    if (nl) { size_t n = nl - (i->b + i->s); size_t k = n; if (k && i->b[i->s + k - 1] == '\r') k--;
      if (k >= cap) k = cap - 1; memcpy(out, i->b + i->s, k); out[k] = 0; i->s += n + 1; return 1; }
    at = 0;
    if (!fill(i)) return 0;
  }
}
static int skip(struct in *i, unsigned long long n) {
  while (n) {
    if (i->s == i->e && !fill(i)) return 0;
    size_t k = i->e - i->s; if (k > n) k = n;
    i->s += k; n -= k;
  }
  return 1;
}
static void *conn(void *p) {
  struct in i = {(int)(long)p, malloc(CAP), 0, 0};
  char l[8192];
  while (line(&i, l, sizeof l)) {
    unsigned long long len = 0, got = 0; int chunked = 0, expect = 0;
    while (line(&i, l, sizeof l) && l[0]) {
      if (!strncasecmp(l, "content-length:", 15)) len = strtoull(l + 15, 0, 10);
      if (!strncasecmp(l, "transfer-encoding:", 18)) chunked = 1;
      if (!strncasecmp(l, "expect:", 7)) expect = 1;
    }
    if (expect) { const char *c = "HTTP/1.1 100 Continue\r\n\r\n"; if (write(i.fd, c, strlen(c)) < 0) break; }
    if (chunked) for (;;) {
      if (!line(&i, l, sizeof l)) goto out;
      unsigned long long n = strtoull(l, 0, 16);
      if (n == 0) { while (line(&i, l, sizeof l) && l[0]) ; break; }
      if (!skip(&i, n) || !line(&i, l, sizeof l)) goto out;
      got += n;
    } else { if (!skip(&i, len)) goto out; got = len; }
    char body[64], r[256]; int bn = snprintf(body, sizeof body, "%llu\n", got);
    int n = snprintf(r, sizeof r, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", bn, body);
    if (write(i.fd, r, n) < 0) break;
  }
out:
  close(i.fd); free(i.b); return 0;
}
int main(int argc, char **argv) {
  if (argc < 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(s, (void *)&a, sizeof a) || listen(s, 1024)) { perror("sink"); return 1; }
  for (;;) {
    int c = accept(s, 0, 0); if (c < 0) continue;
    setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    pthread_t t; pthread_create(&t, 0, conn, (void *)(long)c); pthread_detach(t);
  }
}
