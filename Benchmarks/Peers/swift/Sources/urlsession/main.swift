// URLSession (FoundationNetworking).  urlsession MODE URL N C ; MODE: get | down | up | close
import BenchKit
import Foundation
import FoundationNetworking
import Glibc

let a = Args()
let conf = URLSessionConfiguration.ephemeral
conf.httpMaximumConnectionsPerHost = max(a.c, 6)
conf.urlCache = nil
conf.requestCachePolicy = .reloadIgnoringLocalCacheData
conf.timeoutIntervalForRequest = 300
let url = URL(string: a.url)!

/// Streams: counts and drops bytes.
final class Sink: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    var n = 0
    var done: CheckedContinuation<Int, Error>?
    func urlSession(_ s: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { n += data.count }
    func urlSession(_ s: URLSession, task: URLSessionTask, didCompleteWithError e: Error?) {
        if let e { done?.resume(throwing: e) } else { done?.resume(returning: n) }
    }
    func urlSession(_ s: URLSession, task: URLSessionTask,
                    needNewBodyStream c: @escaping (InputStream?) -> Void) {
        c(InputStream(fileAtPath: "www/up256"))
    }
}
runMain {
switch a.mode {
case "down":
    let sink = Sink()
    let s = URLSession(configuration: conf, delegate: sink, delegateQueue: nil)
    try await drive("urlsession", a, bytesPer: 1 << 30) {
        sink.n = 0
        let n = try await withCheckedThrowingContinuation { k in sink.done = k; s.dataTask(with: url).resume() }
        precondition(n == 1 << 30, "\(n)")
    }
case "up":
    let sink = Sink()
    let s = URLSession(configuration: conf, delegate: sink, delegateQueue: nil)
    try await drive("urlsession", a, bytesPer: 256 << 20) {
        var q = URLRequest(url: url)
        q.httpMethod = "POST"
        q.setValue("268435456", forHTTPHeaderField: "Content-Length")
        q.setValue("", forHTTPHeaderField: "Expect")
        q.httpBodyStream = InputStream(fileAtPath: "www/up256")
        let r = q
        sink.n = 0
        let n = try await withCheckedThrowingContinuation { k in sink.done = k; s.dataTask(with: r).resume() }
        precondition(n == 10, "the sink says 268435456 and a line feed")
    }
default:
    let s = URLSession(configuration: conf)
    try await drive("urlsession", a, bytesPer: 1024) {
        let (d, r) = try await s.data(for: URLRequest(url: url))
        precondition(d.count == 1024 && (r as! HTTPURLResponse).statusCode == 200)
    }
}
}
