// DescriptorStream: the content of an open file as the stream of a request body.

import Dispatch
import Tsubame

/// The bytes of an open file from its current position, in pieces, read on a thread that may block.
struct DescriptorStream: AsyncSequence, Sendable {
    private static let pieceBytes = 128 << 10
    private static let queue = DispatchQueue(label: "tsubame.input")

    private let descriptor: Descriptor
    private let first: [Bytes]

    /// - Parameter first: the pieces that have been read already.
    init(_ descriptor: Descriptor, after first: [Bytes] = []) {
        self.descriptor = descriptor
        self.first = first
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
            return piece.count > 0 ? piece : nil
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
