// TrafficFilter: which calls a filter such as `method:POST & status:5xx & !host:example` finds.

import HTTPTypes
import TsubameCore

/// A filter of calls.
///
/// Terms are `method:POST`, `status:5xx`, `status:>=400`, `host:`, `path:`, `type:`, `header:name` or `header:name=value`, `body:`,
/// `error:`, `tag:`, `version:`, `duration:>200ms`, `size:>10k` and `id:`. A word without a colon is searched in the URL, the
/// method, the status, fields, decisions, failures and bodies. `!` negates, `&` or a space means both, `|` means either, and parentheses group. Quotes hold spaces.
package struct TrafficFilter: Sendable {
    /// Why a text is no filter.
    package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The character at which the fault is, counted from 1.
        package let position: Int
        package let reason: String

        package var description: String { "at character \(position): \(reason)" }
    }

    indirect enum Node: Sendable, Hashable {
        case all
        case not(Node)
        case both(Node, Node)
        case either(Node, Node)
        case text(ByteSearch)
        case method(String)
        case status(Comparison)
        case host(ByteSearch)
        case path(ByteSearch)
        case type(ByteSearch)
        case header(name: String, value: ByteSearch?)
        case body(ByteSearch)
        case error(ByteSearch)
        case tag(String)
        case version(ByteSearch)
        /// In milliseconds.
        case duration(Comparison)
        /// In bytes.
        case size(Comparison)
        case id(UInt64)
    }

    /// A range of numbers.
    struct Comparison: Sendable, Hashable {
        var from: Double
        /// The numbers end before this one.
        var to: Double

        func contains(_ number: Double) -> Bool { number >= from && number < to }
    }

    let root: Node

    /// The first term that asks about a response; nil if the filter asks about requests only.
    var termOfResponses: String? { Self.termOfResponses(root) }

    private static func termOfResponses(_ node: Node) -> String? {
        switch node {
        case .not(let node): termOfResponses(node)
        case .both(let left, let right), .either(let left, let right): termOfResponses(left) ?? termOfResponses(right)
        case .status: "status"
        case .type: "type"
        case .error: "error"
        case .tag: "tag"
        case .version: "version"
        case .duration: "duration"
        case .size: "size"
        case .id: "id"
        case .all, .text, .method, .host, .path, .header, .body: nil
        }
    }

    /// Whether a call is found.
    /// - Parameter shown: gives the words of the call, which only some terms need.
    package func matches(_ call: LoggedCall, shown: (() -> ShownText)? = nil) -> Bool {
        var made: ShownText?
        return matches(root, call) {
            let text = made ?? shown?() ?? ShownText(call)
            made = text
            return text
        }
    }

    private func matches(_ node: Node, _ call: LoggedCall, _ shown: () -> ShownText) -> Bool {
        switch node {
        case .all: true
        case .not(let node): !matches(node, call, shown)
        case .both(let left, let right): matches(left, call, shown) && matches(right, call, shown)
        case .either(let left, let right): matches(left, call, shown) || matches(right, call, shown)
        case .text(let text): text.isIn(shown().all) || call.hasBody(text)
        case .method(let method): call.request.method.rawValue.uppercased() == method
        case .status(let range): range.contains(Double(call.lastResponse?.statusCode ?? 0))
        case .host(let text): text.isIn(shown().host)
        case .path(let text): text.isIn(shown().path)
        case .type(let text): text.isIn(shown().type)
        case .header(let name, let value): call.hasField(name, value)
        case .body(let text): call.hasBody(text)
        case .error(let text): shown().error.map { text.isIn($0) } ?? false
        case .tag(let tag): shown().tags.contains(tag)
        case .version(let text): text.isIn(shown().version)
        case .duration(let range): range.contains(Double(call.duration) / 1e6)
        case .size(let range): range.contains(Double(call.received))
        case .id(let id): call.id == id
        }
    }
}

extension LoggedCall {
    /// The bytes of the last response's body.
    var received: Int64 {
        for event in events.reversed() {
            if case .receiving(let progress) = event.kind { return progress.bytes }
        }
        return 0
    }

    func hasBody(_ text: ByteSearch) -> Bool {
        attempts.contains { attempt in
            (attempt.requestBody.map { text.isIn($0.bytes) } ?? false)
                || (attempt.responseBody.map { text.isIn($0.bytes) } ?? false)
        } || request.body.bytesInMemory.map { text.isIn($0) } ?? false
    }

    func hasField(_ name: String, _ value: ByteSearch?) -> Bool {
        hasField { field in
            field.name.canonicalName == name && (value?.isIn(request.redaction.value(of: field)) ?? true)
        } head: { head in
            ByteSearch(name).isIn(head) && (value?.isIn(head) ?? true)
        }
    }

    /// Whether a request or a response has a field. The received head is looked at before its fields are made.
    private func hasField(_ matches: (HTTPField) -> Bool, head mayMatch: (Bytes) -> Bool) -> Bool {
        for event in events {
            switch event.kind {
            case .sent(let request): if request.headers.contains(where: matches) { return true }
            case .headReceived(let response), .finished(let response):
                if let head = response.details.head, !mayMatch(head.bytes(0..<head.byteCount)) { continue }
                if response.wire.contains(where: matches) { return true }
            default: continue
            }
        }
        return false
    }
}
