// ServedFile: a file on a scripted server, served by ranges as in RFC 9110 section 14, or broken off.

import Foundation
import HTTPTypes
import Tsubame
import TsubameTesting

/// A server's file with its name and validators. The test decides how correct the responses are.
struct ServedFile: Sendable {
    var content: [UInt8]
    var etag: String? = "\"one\""
    var lastModified: String?
    var date: String? = "Sun, 22 Nov 2026 08:00:00 GMT"
    var servesRanges = true
    /// The most bytes of an answered range.
    var longestRange = Int.max
    var headers: HTTPFields = [:]

    /// Bytes that differ at any two positions that a test compares.
    init(count: Int, seed: UInt8 = 1) {
        var value = UInt32(seed)
        content = (0..<count).map { _ in
            value = value &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: value >> 24)
        }
    }

    /// The response to a request.
    /// - Parameters:
    ///   - sent: the number of bytes of the body before the connection is closed; all of them unless given.
    ///   - gate: the gate at which the response waits in place of the close.
    func answer(_ request: ReceivedRequest, sending sent: Int? = nil, then gate: Gate? = nil) -> Reply {
        var fields: HTTPFields = [:]
        if let etag { fields[.eTag] = etag }
        if let lastModified { fields[.lastModified] = lastModified }
        if let date { fields[.date] = date }
        if servesRanges { fields[.acceptRanges] = "bytes" }
        for field in headers { fields[field.name] = field.value }
        var body = content[...]
        var status = HTTPResponse.Status.ok
        if servesRanges, let range = request["range"], holds(request["if-range"]) {
            guard let span = span(range)?.prefix(longestRange) else {
                fields[.contentRange] = "bytes */\(content.count)"
                return .status(.rangeNotSatisfiable, "no such range", headers: fields)
            }
            status = .partialContent
            if fields[.contentRange] == nil {
                fields[.contentRange] = "bytes \(span.lowerBound)-\(span.upperBound - 1)/\(content.count)"
            }
            body = content[span]
        }
        fields[.contentLength] = String(body.count)
        let head = Reply.Step.bytes(Reply.head(status, fields))
        guard let sent else { return [head, .content(Array(body))] }
        return [head, .content(Array(body.prefix(sent))), gate.map { .wait(for: $0) } ?? .close, .close]
    }

    private func holds(_ condition: String?) -> Bool {
        condition == nil || condition == etag || (condition == lastModified && etag == nil)
    }

    private func span(_ range: String) -> Range<Int>? {
        guard range.hasPrefix("bytes=") else { return nil }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard let first = ends.first.flatMap({ Int($0) }), first < content.count else { return nil }
        let last = ends.dropFirst().first.flatMap { Int($0) } ?? content.count - 1
        return first..<min(last, content.count - 1) + 1
    }
}

/// Makes a new folder, and removes it after the body has run.
func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension URL {
    /// The names in the folder, including hidden files.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["?"]).sorted() }

    var bytes: [UInt8]? { (try? Data(contentsOf: self)).map { Array($0) } }
}
