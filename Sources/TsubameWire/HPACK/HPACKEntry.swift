// HPACKEntry: one entry of a table, valid until the table changes.

/// The value lies directly after the name.
package struct HPACKEntry {
    let field: UnsafeRawPointer
    let nameLength: Int
    let valueLength: Int

    package var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: field, count: nameLength) }
    package var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: field + nameLength, count: valueLength)
    }

    @inline(__always)
    func hasName(_ other: UnsafeRawBufferPointer) -> Bool { HPACKHash.areEqual(name, other) }

    @inline(__always)
    func hasValue(_ other: UnsafeRawBufferPointer) -> Bool { HPACKHash.areEqual(value, other) }
}
