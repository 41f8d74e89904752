// reqwest.  reqb MODE URL N C ; MODE: get, h2, down, up, close
use std::{sync::{Arc, Mutex}, time::Instant};
use futures_util::StreamExt;
fn ru() -> (f64, i64) {
    let mut r: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut r) };
    ((r.ru_utime.tv_sec + r.ru_stime.tv_sec) as f64 * 1e6 + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) as f64, r.ru_maxrss as i64)
}
#[derive(Clone)]
struct Job { cl: reqwest::Client, url: reqwest::Url, mode: Arc<String> }
impl Job {
    async fn one(&self) -> usize {
        match self.mode.as_str() {
            "down" => {
                let r = self.cl.get(self.url.clone()).send().await.unwrap();
                let mut s = r.bytes_stream(); let mut n = 0;
                while let Some(b) = s.next().await { n += b.unwrap().len(); }
                n
            }
            "up" => {
                let chunk = bytes::Bytes::from(vec![0u8; 65536]);
                let s = futures_util::stream::iter((0..4096).map(move |_| Ok::<_, std::io::Error>(chunk.clone())));
                let r = self.cl.post(self.url.clone()).header("content-length", 268435456u64).body(reqwest::Body::wrap_stream(s)).send().await.unwrap();
                let b = r.bytes().await.unwrap(); assert_eq!(&b[..], b"268435456\n");
                256 << 20
            }
            _ => {
                let r = self.cl.get(self.url.clone()).send().await.unwrap();
                let ok = r.status() == 200; let b = r.bytes().await.unwrap(); assert!(ok && b.len() == 1024);
                b.len()
            }
        }
    }
}
async fn round(j: &Job, n: usize, c: usize) -> (Vec<u32>, usize) {
    let all = Arc::new(Mutex::new((Vec::with_capacity(n), 0usize)));
    let mut hs = vec![];
    for w in 0..c {
        let share = n / c + if w < n % c { 1 } else { 0 };
        let (j, all) = (j.clone(), all.clone());
        hs.push(tokio::spawn(async move {
            let mut l = Vec::with_capacity(share); let mut b = 0;
            for _ in 0..share { let t = Instant::now(); b += j.one().await; l.push((t.elapsed().as_nanos() / 100) as u32); }
            let mut g = all.lock().unwrap(); g.0.extend(l); g.1 += b;
        }));
    }
    for h in hs { h.await.unwrap(); }
    let g = all.lock().unwrap(); (g.0.clone(), g.1)
}
#[tokio::main]
async fn main() {
    let mut a: Vec<String> = std::env::args().skip(1).collect();
    let mode = if a.len() == 4 { a.remove(0) } else { "get".into() };
    let (n, c): (usize, usize) = (a[1].parse().unwrap(), a[2].parse().unwrap());
    let mut b = reqwest::Client::builder().danger_accept_invalid_certs(true).pool_max_idle_per_host(c).no_proxy().tcp_nodelay(true);
    if mode != "h2" { b = b.http1_only(); }
    let j = Job { cl: b.build().unwrap(), url: a[0].parse().unwrap(), mode: Arc::new(mode) };
    if n >= 100 { round(&j, n / 10, c).await; }
    let (c0, _) = ru(); let t0 = Instant::now();
    let (mut l, bytes) = round(&j, n, c).await;
    let wall = t0.elapsed().as_secs_f64(); let (c1, rss) = ru(); l.sort();
    println!("rust-reqwest\t{:.3}\t{:.1}\t{:.2}\t{}\t{:.1}\t{:.1}\t{:.1}\t{:.3}", wall, n as f64 / wall, (c1 - c0) / n as f64, rss,
        l[l.len() / 2] as f64 / 10., l[l.len() * 99 / 100] as f64 / 10., bytes as f64 / 1e6 / wall, (c1 - c0) / 1e6);
}
