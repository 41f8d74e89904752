// GuardedMemory: memory that ends where the process may not read, so that a read behind the end crashes the test.

import TsubamePlatform

/// Bytes whose end lies before a page that cannot be read. The address sanitizer finds such reads too, but this memory
/// finds them in every run, and also the reads of a whole word that begins within the bytes.
final class GuardedMemory {
    private let base: UnsafeMutableRawPointer
    private let pageBytes: Int
    private let size: Int

    /// - Parameter capacity: the most bytes that the memory is to hold.
    init(capacity: Int) {
        pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
        size = (capacity + pageBytes - 1) / pageBytes * pageBytes
        let base = mmap(nil, size + pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base, base != UnsafeMutableRawPointer(bitPattern: -1),
            mprotect(base + size, pageBytes, PROT_NONE) == 0
        else { preconditionFailure("the system gives no guarded memory: errno \(errno)") }
        self.base = base
    }

    deinit { munmap(base, size + pageBytes) }

    /// Copies bytes to the end of the memory. The copy is valid until the next one.
    func copy(of bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        precondition(bytes.count <= size)
        let copy = UnsafeMutableRawBufferPointer(start: base + (size - bytes.count), count: bytes.count)
        copy.copyBytes(from: bytes)
        return UnsafeRawBufferPointer(copy)
    }
}
