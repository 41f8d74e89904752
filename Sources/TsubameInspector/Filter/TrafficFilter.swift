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
        /// The start of a field's line, as ``ShownText/hasField(_:_:)`` takes it, and a text of its value.
        case header(start: ByteSearch, value: ByteSearch?)
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
    package func matches(_ call: LoggedCall) -> Bool { matches(ShownText(call)) { call.hasBody($0) } }

    /// Whether a call is found.
    /// - Parameter hasBody: whether one of its bodies has a text.
    func matches(_ call: ShownText, hasBody: (ByteSearch) -> Bool) -> Bool { Self.matches(root, call, hasBody) }

    private static func matches(_ node: Node, _ call: ShownText, _ hasBody: (ByteSearch) -> Bool) -> Bool {
        switch node {
        case .all: true
        case .not(let node): !matches(node, call, hasBody)
        case .both(let left, let right): matches(left, call, hasBody) && matches(right, call, hasBody)
        case .either(let left, let right): matches(left, call, hasBody) || matches(right, call, hasBody)
        case .text(let text): call.has(text) || hasBody(text)
        case .method(let method): call.method == method
        case .status(let range): range.contains(call.status)
        case .host(let text): text.isIn(call.host)
        case .path(let text): text.isIn(call.path)
        case .type(let text): text.isIn(call.type)
        case .header(let start, let value): call.hasField(start, value)
        case .body(let text): hasBody(text)
        case .error(let text): call.error.map { text.isIn($0) } ?? false
        case .tag(let tag): call.tags.contains(tag)
        case .version(let text): text.isIn(call.version)
        case .duration(let range): range.contains(call.duration)
        case .size(let range): range.contains(call.size)
        case .id(let id): call.id == id
        }
    }
}

extension LoggedCall {
    func hasBody(_ text: ByteSearch) -> Bool {
        attempts.contains { attempt in
            (attempt.requestBody.map { text.isIn($0.bytes) } ?? false)
                || (attempt.responseBody.map { text.isIn($0.bytes) } ?? false)
        } || request.body.bytesInMemory.map { text.isIn($0) } ?? false
    }
}
