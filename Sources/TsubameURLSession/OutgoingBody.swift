// OutgoingBody: the body of a request in the form in which URLSession takes it.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Tsubame

enum OutgoingBody: Sendable {
    /// A body of a known length up to this one is sent from memory.
    static let mostBytesInMemory: Int64 = 1 << 20

    case none
    case data(Data)
    /// - Parameter length: nil if it is not known before the body is sent.
    case pipe(BodyPipe, length: Int64?)

    init(_ body: RequestBodyReader?) async throws(CallError) {
        guard let body else {
            self = .none
            return
        }
        guard let length = body.length, length <= Self.mostBytesInMemory else {
            #if canImport(FoundationNetworking)
            self = .pipe(try await BodyPipe(body), length: body.length)
            #else
            self = .pipe(BodyPipe(body), length: body.length)
            #endif
            return
        }
        var data = Data(capacity: Int(length))
        while let piece = try await body.next() { data.append(contentsOf: piece) }
        self = .data(data)
    }

    var isNone: Bool { if case .none = self { true } else { false } }

    /// Begins to send a body that is read while it is sent.
    /// - Parameter fail: called with the error of the body's source.
    func start(_ fail: @escaping @Sendable (CallError) -> Void) {
        #if !canImport(FoundationNetworking)
        if case .pipe(let pipe, _) = self { pipe.start(fail) }
        #endif
    }

    /// Reads no more of the body.
    func close() {
        #if !canImport(FoundationNetworking)
        if case .pipe(let pipe, _) = self { pipe.close() }
        #endif
    }

    /// Makes the task that sends the message with this body.
    func makeTask(_ message: URLRequest, in session: URLSession) -> URLSessionTask {
        var message = message
        switch self {
        case .none: break
        case .data(let data): message.httpBody = data
        case .pipe(let pipe, let length):
            #if canImport(FoundationNetworking)
            if length != nil { return session.uploadTask(with: message, fromFile: pipe.file) }
            message.httpBodyStream = InputStream(url: pipe.file)
            #else
            if let length { message.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
            message.httpBodyStream = pipe.stream
            #endif
        }
        return session.dataTask(with: message)
    }
}
