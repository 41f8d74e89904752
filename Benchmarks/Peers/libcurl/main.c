// libcurl. curl-bench MODE URL N C; MODE: get (easy when C is 1, else multi with C handles), h2 (get over one connection), down, up, close
#include "bench.h"
#include <curl/curl.h>
static size_t sinkb;
static size_t wr(char *p, size_t s, size_t n, void *u) { (void)p; (void)u; sinkb += s * n; return s * n; }
static char zeros[65536]; static size_t left;
static size_t rd(char *p, size_t s, size_t n, void *u) { (void)u; size_t k = s * n; if (k > left) k = left; memcpy(p, zeros, k < sizeof zeros ? k : (k = sizeof zeros)); left -= k; return k; }
static const char *mode = "get", *url; static struct curl_slist *hdr;
static CURL *mk(void) {
  CURL *e = curl_easy_init();
  curl_easy_setopt(e, CURLOPT_URL, url); curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, wr);
  curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L); curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
  int h2 = !strcmp(mode, "h2");
  curl_easy_setopt(e, CURLOPT_HTTP_VERSION, h2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
  if (h2) curl_easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
  return e;
}
struct h { CURL *e; uint64_t t; };
static void multi(CURLM *m, struct h *hs, int c, long n) {
  long sent = 0, done = 0; int run, q;
  for (int i = 0; i < c && sent < n; i++, sent++) { hs[i].t = now_ns(); curl_multi_add_handle(m, hs[i].e); }
  while (done < n) {
    curl_multi_perform(m, &run); CURLMsg *msg;
    while ((msg = curl_multi_info_read(m, &q))) if (msg->msg == CURLMSG_DONE) {
      if (msg->data.result) { fprintf(stderr, "curl: %s\n", curl_easy_strerror(msg->data.result)); exit(1); }
      struct h *x; curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &x);
      done++; add_lat(now_ns() - x->t); curl_multi_remove_handle(m, x->e);
      if (sent < n) { sent++; x->t = now_ns(); curl_multi_add_handle(m, x->e); run++; }
    }
    if (done < n) curl_multi_poll(m, 0, 0, 1000, 0);
  }
}
int main(int argc, char **argv) {
  if (argc == 5) { mode = argv[1]; argv++; }
  url = argv[1]; long n = atol(argv[2]); int c = atoi(argv[3]); long warm = n >= 100 ? n / 10 : 0;
  curl_global_init(CURL_GLOBAL_ALL); init_lat(0);
  uint64_t c0, t0; const char *tag = "libcurl-easy"; CURLcode rc;
  if (!strcmp(mode, "up")) {
    CURL *e = mk(); hdr = curl_slist_append(0, "Expect:"); c0 = cpu_us(); t0 = now_ns();
    curl_easy_setopt(e, CURLOPT_POST, 1L); curl_easy_setopt(e, CURLOPT_READFUNCTION, rd); curl_easy_setopt(e, CURLOPT_HTTPHEADER, hdr);
    curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, 65536L);
    curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(256 << 20));
    for (long i = 0; i < n; i++) { left = 256 << 20; if ((rc = curl_easy_perform(e))) { puts(curl_easy_strerror(rc)); return 1; } }
    sinkb = (size_t)n << 28;
  } else if (c == 1 && strcmp(mode, "h2")) {
    CURL *e = mk();
    if (!strcmp(mode, "down")) curl_easy_setopt(e, CURLOPT_BUFFERSIZE, 262144L);
    if (!strcmp(mode, "down")) warm = 0;
    for (long i = 0; i < warm; i++) if ((rc = curl_easy_perform(e))) { puts(curl_easy_strerror(rc)); return 1; }
    sinkb = 0; init_lat(n); c0 = cpu_us(); t0 = now_ns();
    for (long i = 0; i < n; i++) { uint64_t t = now_ns(); if ((rc = curl_easy_perform(e))) { puts(curl_easy_strerror(rc)); return 1; } add_lat(now_ns() - t); }
  } else {
    tag = "libcurl-multi";
    CURLM *m = curl_multi_init(); curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, (long)c);
    curl_multi_setopt(m, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(m, CURLMOPT_MAX_CONCURRENT_STREAMS, 256L);
    struct h *hs = calloc(c, sizeof *hs);
    for (int i = 0; i < c; i++) { hs[i].e = mk(); curl_easy_setopt(hs[i].e, CURLOPT_PRIVATE, &hs[i]); }
    multi(m, hs, c, warm); sinkb = 0; init_lat(n); c0 = cpu_us(); t0 = now_ns(); multi(m, hs, c, n);
  }
  report(tag, n, t0, now_ns(), c0, cpu_us(), sinkb);
}
