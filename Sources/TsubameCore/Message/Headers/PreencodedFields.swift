// PreencodedFields: fields that many requests have in common, with their encoded lines.

package import HTTPTypes

/// A client makes this object once. If a request shares the storage of these fields, it is sent without a look at each
/// field. Equal fields in another storage do not count.
package final class PreencodedFields: Sendable {
    package let fields: HTTPFields
    /// The encoded lines, each with its line end.
    package let lines: Bytes
    package let lineCount: Int
    package let endConnection: Bool

    package init(_ fields: HTTPFields, lines: Bytes, lineCount: Int) {
        self.fields = fields
        self.lines = lines
        self.lineCount = lineCount
        endConnection = fields.endConnection
    }

    /// Whether both values share one storage. While both exist, neither can have been changed, because a change copies
    /// a shared storage.
    @inline(__always)
    package static func isSame(_ some: borrowing HTTPFields, _ others: borrowing HTTPFields) -> Bool {
        withUnsafeBytes(of: some) { some in
            withUnsafeBytes(of: others) { others in
                // `HTTPFields` is one reference. If it ever becomes more than that, no two values count as the same.
                some.count == MemoryLayout<UInt>.size && others.count == some.count
                    && some.load(as: UInt.self) == others.load(as: UInt.self)
            }
        }
    }
}

extension HTTPFields {
    /// Whether the fields ask to close the connection after the response (RFC 9112 section 9.6).
    package var endConnection: Bool {
        contains(.connection) && self[.connection]?.lowercased().contains("close") == true
    }
}
