// `inspector-search N`: how long a page of the inspector waits for the answer of its filter over N calls.

import Foundation
import Tsubame
import TsubameInspector

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
var limits = TrafficLog.Limits()
limits.total = 4 << 30
let log = TrafficLog(limits: limits)

func entry(_ index: Int) -> String {
    #"{"startedDateTime":"2026-11-27T00:00:00.000Z","time":4,"#
        + #""request":{"method":"GET","url":"http://example.com/items/\#(index)?page=\#(index % 7)","httpVersion":"HTTP/1.1","#
        + #""headers":[{"name":"accept","value":"application/json"}]},"#
        + #""response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","#
        + #""headers":[{"name":"content-type","value":"application/json"}],"#
        + #""content":{"mimeType":"application/json","text":"{\"index\":\#(index)}"}},"#
        + #""timings":{"send":1,"wait":2,"receive":1}}"#
}

for start in stride(from: 0, to: count, by: 10_000) {
    let entries = (start..<min(start + 10_000, count)).map(entry).joined(separator: ",")
    try log.add(har: Data(#"{"log":{"version":"1.2","entries":[\#(entries)]}}"#.utf8))
}
let inspector = try await Inspector(log: log)
let page = Client("http://127.0.0.1:\(inspector.port)") { $0.cookies = .jar(CookieJar()) }
_ = try await page.get(url: inspector.url)
struct Answer: Decodable { var ids: [UInt64] }
struct Rows: Decodable {
    struct Row: Decodable { var id: UInt64 }
    var rows: [Row]
}
// A page has read all rows before it searches.
var last: UInt64? = 0
while let after = last {
    let rows = try await page.get("api/calls", query: ["after": "\(after)", "limit": "2000"]).json(Rows.self).rows
    last = rows.map(\.id).max()
}
print("\(log.count) calls; milliseconds of the first answer, the median and the longest of 20 more")
for filter in [
    "path:99999", "body:99999", "swallow", "method:GET & !status:5xx & duration:>2ms & path:page=3",
    "header:content-type", "json | status:>=400",
] {
    var times: [Double] = []
    var found = 0
    for _ in 0..<21 {
        let start = ContinuousClock.now
        found = try await page.get("api/search", query: ["q": filter]).json(Answer.self).ids.count
        let time = ContinuousClock.now - start
        times.append(Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1000)
    }
    let later = times.dropFirst().sorted()
    print(
        "\(filter): \(found) found, \(Int(times[0])), \(Int(later[later.count / 2])), \(Int(later.last ?? 0))")
}
await page.close()
await inspector.stop()
