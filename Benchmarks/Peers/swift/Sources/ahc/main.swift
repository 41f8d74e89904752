// AsyncHTTPClient.  ahc MODE URL N C ; MODE: get | notrace (get without the default no-op tracer) | old (EventLoopFuture API) | down | up | close
import AsyncHTTPClient
import BenchKit
import NIOCore
import NIOPosix
import NIOSSL

let a = Args()
var conf = HTTPClient.Configuration()
var tls = TLSConfiguration.makeClientConfiguration()
tls.certificateVerification = .none
conf.tlsConfiguration = tls
conf.httpVersion = .http1Only
conf.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(a.c, 1)
if a.mode == "notrace" { conf.tracing.tracer = nil }  // the default is a no-op tracer that still gets every attribute
let elg = MultiThreadedEventLoopGroup(numberOfThreads: 1)  // pinned to one CPU anyway
let client = HTTPClient(eventLoopGroupProvider: .shared(elg), configuration: conf)
let url = a.url
let request = HTTPClientRequest(url: url)
runMain {
switch a.mode {
case "down":
    try await drive("ahc", a, bytesPer: 1 << 30) {
        let r = try await client.execute(request, timeout: .minutes(5))
        var n = 0
        for try await b in r.body { n += b.readableBytes }
        precondition(n == 1 << 30)
    }
case "up":
    struct Chunks: AsyncSequence, Sendable {
        struct It: AsyncIteratorProtocol {
            var left: Int
            let chunk: ByteBuffer
            mutating func next() async -> ByteBuffer? {
                if left == 0 { return nil }
                left -= chunk.readableBytes
                return chunk
            }
        }
        func makeAsyncIterator() -> It { It(left: 256 << 20, chunk: ByteBuffer(repeating: 0, count: 65536)) }
    }
    try await drive("ahc", a, bytesPer: 256 << 20) {
        var q = HTTPClientRequest(url: url)
        q.method = .POST
        q.body = .stream(Chunks(), length: .known(Int64(256 << 20)))
        let r = try await client.execute(q, timeout: .minutes(5))
        let b = try await r.body.collect(upTo: 1 << 20)
        precondition(String(buffer: b) == "268435456\n")
    }
case "old":
    let q = try HTTPClient.Request(url: url)
    try await drive("ahc-old", a, bytesPer: 1024) {
        let r = try await client.execute(request: q).get()
        precondition(r.body!.readableBytes == 1024 && r.status == .ok)
    }
default:
    try await drive(a.mode == "notrace" ? "ahc-notrace" : "ahc", a, bytesPer: 1024) {
        let r = try await client.execute(request, timeout: .seconds(30))
        let b = try await r.body.collect(upTo: 1 << 20)
        precondition(b.readableBytes == 1024 && r.status == .ok)
    }
}
try await client.shutdown()
}
