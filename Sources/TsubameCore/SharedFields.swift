// SharedFields: fields that many requests have in common, with their lines as they go on the wire.

package import HTTPTypes

/// Made once for a client. A request whose fields are these very ones, and not merely equal, is sent without looking at
/// each of them.
package final class SharedFields: Sendable {
    package let fields: HTTPFields
    /// The lines, each with its end.
    package let lines: Bytes
    package let lineCount: Int
    package let endConnection: Bool

    package init(_ fields: HTTPFields, lines: Bytes, lineCount: Int) {
        self.fields = fields
        self.lines = lines
        self.lineCount = lineCount
        endConnection = fields.endConnection
    }

    /// Whether the others share these fields' storage. While both are there, none of them can have been changed: a change
    /// copies what is shared.
    @inline(__always)
    package static func isSame(_ some: borrowing HTTPFields, _ others: borrowing HTTPFields) -> Bool {
        withUnsafeBytes(of: some) { some in
            withUnsafeBytes(of: others) { others in
                // One reference; should HTTPFields ever be more, nothing is the same any more.
                some.count == MemoryLayout<UInt>.size && others.count == some.count
                    && some.load(as: UInt.self) == others.load(as: UInt.self)
            }
        }
    }
}

extension HTTPFields {
    /// Whether they ask for the connection's end after the response (RFC 9112 section 9.6).
    package var endConnection: Bool {
        contains(.connection) && self[.connection]?.lowercased().contains("close") == true
    }
}
