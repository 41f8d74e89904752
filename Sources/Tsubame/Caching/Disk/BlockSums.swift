// BlockSums: the checksums of a body, one for each block.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
import TsubameWire

/// A checksum for each 64 KiB of a body.
package struct BlockSums: Sendable {
    package static let blockBytes = 64 << 10

    private var values: [UInt32] = []
    /// How many bytes of the last block have been added.
    private var partial = 0

    package init() {}

    package init(_ data: Data) {
        values = stride(from: 0, to: data.count - data.count % 4, by: 4).map { offset in
            data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    package var data: Data {
        Data(values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } })
    }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if partial == 0 { values.append(0) }
            let piece = rest.prefix(Self.blockBytes - partial)
            rest = rest.dropFirst(piece.count)
            values[values.count - 1] = CRC32.sum(
                UnsafeRawBufferPointer(rebasing: piece), after: values[values.count - 1])
            partial = (partial + piece.count) % Self.blockBytes
        }
    }

    /// Whether these bytes, which start at the block with this number, are those that were added.
    package func agree(with bytes: UnsafeRawBufferPointer, from block: Int) -> Bool {
        var other = BlockSums()
        other.add(bytes)
        let (end, overflow) = block.addingReportingOverflow(other.values.count)
        guard block >= 0, !overflow, end <= values.count else { return false }
        return values[block..<end].elementsEqual(other.values)
    }
}
