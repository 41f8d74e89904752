// CacheRecord: the file of one cached response, without a large body.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import TsubameCore
import TsubameWire

/// The file has a mark, the checksum of the rest, four numbers, and six texts, each after its length. All numbers are
/// little-endian.
struct CacheRecord: Sendable {
    private static let mark = Array("tsubame1".utf8)

    var key: String
    var head: StoredHead
    var content: StoredContent

    // MARK: Writing

    var bytes: [UInt8] {
        var rest: [UInt8] = []
        for number in [
            UInt64(bitPattern: Int64(head.status)), head.requestTime.bitPattern, head.responseTime.bitPattern,
            UInt64(bitPattern: content.length),
        ] {
            Self.append(number, 8, to: &rest)
        }
        for text in [key, head.selectingText, head.fieldText, content.file ?? ""] {
            Self.append(UInt64(text.utf8.count), 4, to: &rest)
            rest += text.utf8
        }
        let (sums, body) = (content.sums.data, content.bytes ?? Bytes())
        Self.append(UInt64(sums.count), 4, to: &rest)
        rest += sums
        Self.append(UInt64(body.count), 4, to: &rest)
        body.withUnsafeBytes { rest += $0 }
        var all = Self.mark
        Self.append(UInt64(rest.withUnsafeBytes { CRC32.sum($0) }), 4, to: &all)
        return all + rest
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    // MARK: Reading

    init(key: String, head: StoredHead, content: StoredContent) {
        self.key = key
        self.head = head
        self.content = content
    }

    /// Parses a record, or returns nil if the bytes are not a record or are damaged.
    init?(_ bytes: Bytes) {
        var reader = Reader(bytes: bytes)
        guard let mark = reader.take(Self.mark.count), mark == Bytes(Self.mark), let sum = reader.number(4),
            sum == UInt64(bytes.slice(reader.offset..<bytes.count).withUnsafeBytes { CRC32.sum($0) }),
            let status = reader.number(8), let requestTime = reader.number(8), let responseTime = reader.number(8),
            let length = reader.number(8).flatMap({ Int64(exactly: $0) }), let key = reader.text(),
            let selecting = reader.text(), let fields = reader.text(), let file = reader.text(),
            let sums = reader.block(), let body = reader.block(),
            let head = StoredHead(
                status: Int(clamping: Int64(bitPattern: status)), fieldText: fields, selectingText: selecting,
                requestTime: Double(bitPattern: requestTime), responseTime: Double(bitPattern: responseTime))
        else { return nil }
        self.key = key
        self.head = head
        content = StoredContent(
            length: length, sums: BlockSums(Data(sums)), file: file.isEmpty ? nil : file,
            bytes: file.isEmpty ? body : nil)
    }

    private struct Reader {
        let bytes: Bytes
        var offset = 0

        mutating func take(_ count: Int) -> Bytes? {
            guard count >= 0, count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return bytes.slice(offset..<(offset + count))
        }

        mutating func number(_ count: Int) -> UInt64? {
            take(count).map { taken in
                taken.withUnsafeBytes { $0.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            }
        }

        mutating func block() -> Bytes? { number(4).flatMap { take(Int(clamping: $0)) } }

        mutating func text() -> String? {
            block().flatMap { block in block.withUnsafeBytes { String(validating: $0, as: UTF8.self) } }
        }
    }
}
