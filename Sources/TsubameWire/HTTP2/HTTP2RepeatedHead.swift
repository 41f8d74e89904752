// HTTP2RepeatedHead: a head that many requests have in common, encoded once.

import HTTPTypes
import TsubameCore

/// The encoded block of a head, without its path. Most requests of a client have the same method, authority and fields. As
/// long as the encoder's table stays the same, so does their block.
struct HTTP2RepeatedHead {
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
        method: String, isSecure: Bool, authority: String, headers: HTTPFields, block: ArraySlice<UInt8>,
        path: Range<Int>, table: HPACKEncoder.TableState
    ) {
        self.method = method
        self.isSecure = isSecure
        self.authority = authority
        self.headers = headers
        self.table = table
        beforePath = Array(block[..<path.lowerBound])
        afterPath = Array(block[path.upperBound...])
    }

    /// Whether a head with these parts and any path has this block.
    func suits(
        method: String, isSecure: Bool, authority: String, headers: HTTPFields, table: HPACKEncoder.TableState
    ) -> Bool {
        PreencodedFields.isSame(self.headers, headers) && self.table == table && self.isSecure == isSecure
            && self.method == method && self.authority == authority
    }

    func encode(path: String, with encoder: inout HPACKEncoder, into output: inout [UInt8]) {
        output.append(contentsOf: beforePath)
        HTTP2RequestFields.encode(path: path, with: &encoder, into: &output)
        output.append(contentsOf: afterPath)
    }
}
