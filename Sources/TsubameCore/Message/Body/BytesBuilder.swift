// BytesBuilder: joins parts to one `Bytes`, in memory of a size that is known before.

/// Takes parts one after another. It has the memory from the beginning, and drops what does not fit.
package struct BytesBuilder {
    private let memory: OwnedMemory
    private let capacity: Int
    private var count = 0

    /// - Parameter capacity: the sum of all parts, at most, in bytes.
    package init(capacity: Int) {
        self.capacity = Swift.max(capacity, 0)
        memory = OwnedMemory(capacity: Swift.max(capacity, 1))
    }

    package mutating func append(_ part: UnsafeRawBufferPointer) {
        let size = Swift.min(part.count, capacity - count)
        guard size > 0, let from = part.baseAddress else { return }
        (memory.pointer + count).copyMemory(from: from, byteCount: size)
        count += size
    }

    /// A small part of the memory is copied, so that it does not hold the rest.
    package consuming func finish() -> Bytes {
        if count < capacity / 4 {
            return withExtendedLifetime(memory) {
                Bytes(copying: UnsafeRawBufferPointer(start: memory.pointer, count: count))
            }
        }
        return Bytes(owner: memory, base: UnsafeRawPointer(memory.pointer), count: count)
    }
}
