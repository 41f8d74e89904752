// Go net/http.  gobench MODE URL N C ; MODE: get, h2, down, up, close
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func ru() (int64, int64) {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return (r.Utime.Sec+r.Stime.Sec)*1000000 + r.Utime.Usec + r.Stime.Usec, r.Maxrss
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear0(p); return len(p), nil }
func clear0(p []byte) {
	for i := range p {
		p[i] = 0
	}
}
func must(err error) {
	if err != nil {
		fmt.Println("go failed:", err)
		os.Exit(1)
	}
}
func main() {
	a := os.Args[1:]
	mode := "get"
	if len(a) == 4 {
		mode, a = a[0], a[1:]
	}
	url := a[0]
	n, _ := strconv.Atoi(a[1])
	c, _ := strconv.Atoi(a[2])
	t := &http.Transport{MaxIdleConnsPerHost: c, MaxIdleConns: c, DisableCompression: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: mode == "h2", WriteBufferSize: 65536}
	if mode == "down" {
		t.ReadBufferSize = 65536
	}
	cl := &http.Client{Transport: t}
	buf := make([]byte, 262144)
	bytes := 0
	one := func() {
		var r *http.Response
		var err error
		switch mode {
		case "up":
			q, _ := http.NewRequest("POST", url, io.LimitReader(zeros{}, 256<<20))
			q.ContentLength = 256 << 20
			r, err = cl.Do(q)
			must(err)
			io.Copy(io.Discard, r.Body)
			bytes = 256 << 20
		case "down":
			r, err = cl.Get(url)
			must(err)
			k, e := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r.Body, buf)
			must(e)
			bytes = int(k)
		default:
			r, err = cl.Get(url)
			must(err)
			b, e := io.ReadAll(r.Body)
			must(e)
			if len(b) != 1024 || r.StatusCode != 200 {
				panic("bad answer")
			}
			bytes = 1024
		}
		r.Body.Close()
	}
	round := func(n int) [][]uint32 {
		var wg sync.WaitGroup
		out := make([][]uint32, c)
		for w := 0; w < c; w++ {
			share := n / c
			if w < n%c {
				share++
			}
			wg.Add(1)
			go func(w, share int) {
				l := make([]uint32, 0, share)
				for i := 0; i < share; i++ {
					t := time.Now()
					one()
					l = append(l, uint32(time.Since(t)/100))
				}
				out[w] = l
				wg.Done()
			}(w, share)
		}
		wg.Wait()
		return out
	}
	if n >= 100 {
		round(n / 10)
	}
	c0, _ := ru()
	t0 := time.Now()
	ls := round(n)
	wall := time.Since(t0).Seconds()
	c1, rss := ru()
	var all []uint32
	for _, l := range ls {
		all = append(all, l...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	cpu := float64(c1 - c0)
	fmt.Printf("go-nethttp\t%.3f\t%.1f\t%.2f\t%d\t%.1f\t%.1f\t%.1f\t%.3f\n", wall, float64(n)/wall, cpu/float64(n), rss,
		float64(all[len(all)/2])/10, float64(all[len(all)*99/100])/10, float64(bytes*n)/1e6/wall, cpu/1e6)
}
