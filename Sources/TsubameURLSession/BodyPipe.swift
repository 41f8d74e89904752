// BodyPipe: the body of a request on its way to URLSession on Apple's systems. It has never run.
#if !canImport(FoundationNetworking)

import Foundation
import Synchronization
import Tsubame

/// Takes a body piece by piece. URLSession reads ``stream``, the other end of a pair with a buffer of 64 KiB. It accepts no stream
/// but those of the system.
// `output` is used on `queue`.
final class BodyPipe: @unchecked Sendable {
    let stream: InputStream
    private let body: RequestBodyReader
    private let output: OutputStream
    private let queue = DispatchQueue(label: "tsubame.upload")
    private let feeder = Mutex<Task<Void, Never>?>(nil)

    init(_ body: RequestBodyReader) {
        self.body = body
        var (input, output): (InputStream?, OutputStream?)
        Stream.getBoundStreams(withBufferSize: 64 << 10, inputStream: &input, outputStream: &output)
        stream = input ?? InputStream(data: Data())
        self.output = output ?? OutputStream(toMemory: ())
    }

    func start(_ fail: @escaping @Sendable (CallError) -> Void) {
        let task = Task {
            do throws(CallError) {
                while let piece = try await body.next() {
                    guard await write(piece) else { return }
                }
                queue.async { self.output.close() }
            } catch {
                // A stream that is closed now would end the request as if the body were complete.
                fail(error)
            }
        }
        feeder.withLock { $0 = task }
    }

    func close() { feeder.withLock { $0 }?.cancel() }

    private func write(_ piece: Bytes) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if output.streamStatus == .notOpen { output.open() }
                let isWritten = piece.withUnsafeBytes { bytes in
                    var offset = 0
                    while offset < bytes.count, let base = bytes.bindMemory(to: UInt8.self).baseAddress {
                        let count = output.write(base + offset, maxLength: bytes.count - offset)
                        guard count > 0 else { return false }
                        offset += count
                    }
                    return true
                }
                continuation.resume(returning: isWritten)
            }
        }
    }
}
#endif
