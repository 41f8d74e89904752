// HTTP2FieldBlockWriter: encodes the field blocks of a client, and reuses what many requests have in common.

import HTTPTypes
import TsubameCore

/// A block is checked in one step and written in the next. A wrong field thus changes neither the encoder's table nor the
/// output.
struct HTTP2FieldBlockWriter: ~Copyable {
    /// The parts of a request's head.
    struct Head {
        let method: String
        let isSecure: Bool
        let authority: String
        let target: String
        let headers: HTTPFields
        /// The length of the body in bytes; nil if there is no body or its length is unknown.
        let length: Int64?
        /// Whether many requests have `headers` in common, with the same storage.
        let sharesFields: Bool
    }

    private var encoder = HPACKEncoder()
    /// The fields that were checked last.
    private var fields = HTTP2RequestFields()
    /// The head that was written last, if its fields are shared.
    private var repeated: RepeatedBlock?
    /// Whether `repeated` stands for the head that was checked last.
    private var isRepeated = false

    /// - Throws: kind `invalidRequest` if the head would not arrive as this one request.
    mutating func check(_ head: Head) throws(WireError) {
        isRepeated =
            head.isRepeatable && repeated?.suits(head, encoder.tableState) == true
            && HTTP2RequestFields.isPath(head.target)
        guard !isRepeated else { return }
        try fields.collect(
            method: head.method, isSecure: head.isSecure, authority: head.authority, target: head.target,
            headers: head.headers, length: head.length)
    }

    mutating func check(trailers: HTTPFields) throws(WireError) { try fields.collect(trailers: trailers) }

    /// Writes the head that was checked last.
    mutating func write(_ head: Head, into output: inout [UInt8]) {
        encoder.beginBlock(into: &output)
        if isRepeated {
            repeated?.encode(path: head.target, with: &encoder, into: &output)
            return
        }
        let table = encoder.tableState
        let start = output.count
        let path = fields.encode(with: &encoder, into: &output)
        let isRepeatable = head.isRepeatable && encoder.tableState == table
        repeated = isRepeatable ? RepeatedBlock(head, block: output[start...], path: path, table: table) : nil
    }

    /// Writes the trailers that were checked last.
    mutating func writeTrailers(into output: inout [UInt8]) {
        encoder.beginBlock(into: &output)
        fields.encode(with: &encoder, into: &output)
    }

    mutating func adopt(_ peer: HTTP2Settings) {
        encoder.setPeerTableSize(peer.smallestTableSize)
        encoder.setPeerTableSize(peer.headerTableSize)
    }
}

extension HTTP2FieldBlockWriter.Head {
    fileprivate var isRepeatable: Bool { sharesFields && length == nil }
}

/// The encoded block of a head, without its path. Most requests of a client have the same method, authority and fields. As
/// long as the encoder's table stays the same, so does their block.
private struct RepeatedBlock {
    private let method: String
    private let isSecure: Bool
    private let authority: String
    /// While this value exists, no other fields can have its storage.
    private let headers: HTTPFields
    private let table: HPACKEncoder.TableState
    private let beforePath: [UInt8]
    private let afterPath: [UInt8]

    /// - Parameters:
    ///   - block: the whole block.
    ///   - path: where the block has the path.
    ///   - table: the state of the encoder's table, which encoding the block has not changed.
    init(
        _ head: HTTP2FieldBlockWriter.Head, block: ArraySlice<UInt8>, path: Range<Int>, table: HPACKEncoder.TableState
    ) {
        method = head.method
        isSecure = head.isSecure
        authority = head.authority
        headers = head.headers
        self.table = table
        beforePath = Array(block[..<path.lowerBound])
        afterPath = Array(block[path.upperBound...])
    }

    /// Whether a head has this block, apart from its path.
    func suits(_ head: HTTP2FieldBlockWriter.Head, _ table: HPACKEncoder.TableState) -> Bool {
        PreencodedFields.isSame(headers, head.headers) && self.table == table && isSecure == head.isSecure
            && method == head.method && authority == head.authority
    }

    func encode(path: String, with encoder: inout HPACKEncoder, into output: inout [UInt8]) {
        output.append(contentsOf: beforePath)
        HTTP2RequestFields.encode(path: path, with: &encoder, into: &output)
        output.append(contentsOf: afterPath)
    }
}
