// FieldBlock: the fields that the HPACK tests decode and encode, as text.

import Testing
import TsubameCore
import TsubameWire

/// A field as text. These tests use only valid UTF-8.
struct TextField: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    var description: String { "\(name): \(value)" }
    /// The size by which tables and limits count it (RFC 7541 section 4.1).
    var size: Int { name.utf8.count + value.utf8.count + 32 }
}

extension DecodedFields {
    var text: [TextField] {
        slots.map { slot in
            func text(_ start: UInt32, _ length: UInt32) -> String {
                String(decoding: bytes[Int(start)..<Int(start + length)], as: UTF8.self)
            }
            return TextField(text(slot.nameStart, slot.nameLength), text(slot.valueStart, slot.valueLength))
        }
    }
}

extension HPACKDynamicTable {
    /// The entries of the table, newest first.
    var text: [TextField] {
        var result: [TextField] = []
        while let entry = entry(result.count) {
            result.append(
                TextField(String(decoding: entry.name, as: UTF8.self), String(decoding: entry.value, as: UTF8.self)))
        }
        return result
    }
}

extension HPACKDecoder {
    mutating func fields(of block: [UInt8]) throws(WireError) -> [TextField] {
        var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 1 << 10)
        try decode(block, into: &fields)
        return fields.text
    }

    mutating func decode(_ block: [UInt8], into fields: inout DecodedFields) throws(WireError) {
        // A copy of exactly this size, so that the address sanitizer reports a read after its end.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: block.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: block)
        try decode(UnsafeRawBufferPointer(copy), into: &fields)
    }
}

extension HPACKEncoder {
    mutating func encode(_ field: TextField, _ indexing: Indexing = .indexed, into output: inout [UInt8]) {
        Array(field.name.utf8).withUnsafeBytes { name in
            Array(field.value.utf8).withUnsafeBytes { value in
                encode(name, value, indexing, into: &output)
            }
        }
    }

    mutating func block(_ fields: [TextField], _ indexing: Indexing = .indexed) -> [UInt8] {
        var output: [UInt8] = []
        beginBlock(into: &output)
        for field in fields { encode(field, indexing, into: &output) }
        return output
    }
}
