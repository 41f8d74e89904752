// DescriptorStream: an open file as the stream of a request's body.
#if Tool
import Dispatch
import Tsubame

/// The bytes of an open file from where it is being read, in pieces, read on a thread that may wait.
struct DescriptorStream: AsyncSequence, Sendable {
    private static let pieceBytes = 128 << 10
    private static let queue = DispatchQueue(label: "tsubame.input")

    private let descriptor: Descriptor
    private let first: [Bytes]
    private let tap: (@Sendable (Bytes) -> Void)?

    /// - Parameters:
    ///   - first: what had been read before.
    ///   - tap: sees each piece as it is sent.
    init(_ descriptor: Descriptor, after first: [Bytes] = [], tap: (@Sendable (Bytes) -> Void)?) {
        self.descriptor = descriptor
        self.first = first
        self.tap = tap
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let stream: DescriptorStream
        fileprivate var position = 0

        mutating func next() async throws -> Bytes? {
            let piece: Bytes
            if position < stream.first.count {
                piece = stream.first[position]
                position += 1
            } else {
                piece = try await read()
            }
            guard piece.count > 0 else { return nil }
            stream.tap?(piece)
            return piece
        }

        private func read() async throws -> Bytes {
            let descriptor = stream.descriptor
            let result: Result<Bytes, SystemError> = await withUnsafeContinuation { continuation in
                DescriptorStream.queue.async {
                    do throws(SystemError) {
                        continuation.resume(returning: .success(try descriptor.readPiece(DescriptorStream.pieceBytes)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            return try result.get()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}

#endif
