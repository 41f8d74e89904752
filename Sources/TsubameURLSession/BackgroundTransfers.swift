// BackgroundTransfers: transfers of files that go on while the app does not run. Apple's systems only; it has never run.
#if canImport(Darwin)

public import Foundation
import Synchronization
public import Tsubame
import TsubameCore
import TsubameWire

/// Downloads and uploads of files that the system carries out, also after the app has been suspended or has ended.
///
/// ```swift
/// let transfers = BackgroundTransfers(identifier: "com.example.photos") { event in
///     switch event {
///     case .progress(_, let progress): show(progress)
///     case .finished(_, let file, _): open(file)
///     case .failed(_, let error): show(error)
///     }
/// }
/// try transfers.download(Request(.get, url: "https://example.com/film.mov"), to: folder.appending(path: "film.mov"))
/// ```
/// Make it with the same identifier at each start of the app: events of earlier transfers then arrive. The system sends the
/// request by itself. So no part of a client has an effect on it: neither fields and cookies of the client, nor its
/// interceptors, its retries and its timeouts. The system follows redirects, and sends the fields of the request along to any
/// origin: put no credentials into a request whose server may redirect it.
///
/// Keep one object for each identifier as long as the app runs. With two of them the system loses events.
public final class BackgroundTransfers: Sendable {
    /// A transfer, named by a number that stays the same after the app has been started again.
    public typealias ID = Int

    /// An event of a transfer. Each transfer ends with `finished` or `failed`.
    public enum Event: Sendable {
        /// Bytes were received or sent; for an upload, `DownloadProgress.received` counts the bytes that were sent.
        case progress(ID, DownloadProgress)
        /// The file is whole, and in its place. For an upload it is the file that was sent.
        case finished(ID, file: URL, status: Int)
        /// The transfer failed. Kinds: those of a call, `CallError.Kind.status` for a status that is no success, and
        /// `CallError.Kind.file` if the file cannot be put in its place.
        case failed(ID, CallError)
    }

    private let session: URLSession
    private let delegate: TransferDelegate

    /// Connects to the transfers of this identifier.
    /// - Parameters:
    ///   - identifier: the name of the transfers, one for each object in an app.
    ///   - isDiscretionary: whether the system may wait for Wi-Fi and power.
    ///   - onEvent: receives the events, one after the other, on a queue of its own.
    public init(
        identifier: String, isDiscretionary: Bool = false, onEvent: @escaping @Sendable (Event) -> Void
    ) {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = isDiscretionary
        configuration.sessionSendsLaunchEvents = true
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        delegate = TransferDelegate(onEvent)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Begins to download a file.
    /// - Parameters:
    ///   - request: a request with an absolute URL and without a body.
    ///   - file: the place of the file. A file that is there is replaced when the new one is whole.
    /// - Throws: `CallError.Kind.invalidRequest` for any other request.
    @discardableResult
    public func download(_ request: Request, to file: URL) throws(CallError) -> ID {
        guard request.body.isEmpty else {
            throw CallError(.invalidRequest, "a background download has no body", request: request)
        }
        return start(session.downloadTask(with: try Self.message(of: request)), file)
    }

    /// Begins to upload a file.
    /// - Parameters:
    ///   - request: a request with an absolute URL and without a body, such as a PUT.
    ///   - file: the body. It must stay as it is until the transfer has ended.
    /// - Throws: `CallError.Kind.invalidRequest` for any other request.
    @discardableResult
    public func upload(_ request: Request, from file: URL) throws(CallError) -> ID {
        guard request.body.isEmpty, request.method != .get else {
            throw CallError(.invalidRequest, "a background upload has the file as its body", request: request)
        }
        return start(session.uploadTask(with: try Self.message(of: request), fromFile: file), file)
    }

    /// Ends a transfer. It fails with `CallError.Kind.cancelled`.
    public func cancel(_ id: ID) async { await task(id)?.cancel() }

    /// The transfers that have not ended, those of earlier starts of the app included.
    public func running() async -> [ID] { await session.allTasks.map(\.taskIdentifier) }

    /// Has `done` called when all events have been delivered for which the system has started the app. Pass it the completion
    /// handler of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    public func whenDelivered(_ done: @escaping @Sendable () -> Void) { delegate.whenDelivered(done) }

    private func task(_ id: ID) async -> URLSessionTask? {
        await session.allTasks.first { $0.taskIdentifier == id }
    }

    private func start(_ task: URLSessionTask, _ file: URL) -> ID {
        // The system keeps the description with the task.
        task.taskDescription = FilePlace(file).text
        delegate.expectMore()
        task.resume()
        return task.taskIdentifier
    }

    private static func message(of request: Request) throws(CallError) -> URLRequest {
        guard let text = request.uri?.string, let url = URL(string: text) else {
            throw CallError(.invalidRequest, "a background transfer needs an absolute URL", request: request)
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        for field in request.headers { message.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        return message
    }
}

/// Makes events of what the session tells.
private final class TransferDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
    private struct State: Sendable {
        /// The transfers that have failed, and that the session has yet to end.
        var failed: Set<Int> = []
        /// When the first bytes of a transfer were told to this start of the app, and how many there were before.
        var begun: [Int: (at: ContinuousClock.Instant, bytes: Int64)] = [:]
        var delivered: (@Sendable () -> Void)?
        /// Whether all events were delivered before a handler was given. A transfer or an event that follows needs a new end.
        var isDelivered = false
    }

    private let onEvent: @Sendable (BackgroundTransfers.Event) -> Void
    private let state = Mutex(State())
    let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    init(_ onEvent: @escaping @Sendable (BackgroundTransfers.Event) -> Void) { self.onEvent = onEvent }

    func whenDelivered(_ done: @escaping @Sendable () -> Void) {
        let isDelivered = state.withLock { state in
            if !state.isDelivered { state.delivered = done }
            defer { state.isDelivered = false }
            return state.isDelivered
        }
        if isDelivered { DispatchQueue.main.async { done() } }
    }

    func expectMore() { state.withLock { $0.isDelivered = false } }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData count: Int64,
        totalBytesWritten received: Int64, totalBytesExpectedToWrite total: Int64
    ) { report(downloadTask, received, total) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
        totalBytesExpectedToSend total: Int64
    ) { report(task, sent, total) }

    private func report(_ task: URLSessionTask, _ received: Int64, _ total: Int64) {
        guard let file = task.file else { return }
        let now = ContinuousClock.now
        let begun = state.withLock { state in
            let begun = state.begun[task.taskIdentifier] ?? (now, received)
            state.begun[task.taskIdentifier] = begun
            state.isDelivered = false
            return begun
        }
        let seconds = begun.at.duration(to: now) / .seconds(1)
        let speed = seconds > 0 ? Double(received - begun.bytes) / seconds : 0
        onEvent(
            .progress(
                task.taskIdentifier,
                DownloadProgress(
                    file: file, received: received, total: total > 0 ? total : nil, resumed: 0,
                    bytesPerSecond: Int64(exactly: speed.rounded()) ?? 0)))
    }

    /// The file is removed when this returns.
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo part: URL) {
        guard let file = downloadTask.file, downloadTask.error(of: downloadTask.status) == nil else { return }
        do {
            if FileManager.default.fileExists(atPath: file.path) {
                _ = try FileManager.default.replaceItemAt(file, withItemAt: part)
            } else {
                try FileManager.default.moveItem(at: part, to: file)
            }
        } catch {
            let id = downloadTask.taskIdentifier
            state.withLock { _ = $0.failed.insert(id) }
            onEvent(
                .failed(
                    id,
                    CallError(.file, "the file cannot be put at \(file.path)", phase: .receivingBody, underlying: error)
                ))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let id = task.taskIdentifier
        let hasFailed = state.withLock { state in
            state.begun[id] = nil
            state.isDelivered = false
            return state.failed.remove(id) != nil
        }
        guard !hasFailed else { return }
        if let failure = error.map({ CallError($0, phase: .receivingBody) }) ?? task.error(of: task.status) {
            return onEvent(.failed(id, failure))
        }
        if let file = task.file { onEvent(.finished(id, file: file, status: task.status)) }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let done = state.withLock { state in
            state.isDelivered = state.delivered == nil
            return state.delivered.take()
        }
        if let done { DispatchQueue.main.async { done() } }
    }
}

/// The place of a file as a text that another start of the app understands. The folder of an app moves when the app is updated.
private struct FilePlace {
    let text: String

    init(_ file: URL) {
        let home = NSHomeDirectory() + "/"
        text = file.path.hasPrefix(home) ? "~/" + file.path.dropFirst(home.count) : file.path
    }

    init(text: String) { self.text = text }

    var file: URL {
        URL(filePath: text.hasPrefix("~/") ? NSHomeDirectory() + "/" + text.dropFirst(2) : text)
    }
}

extension URLSessionTask {
    fileprivate var file: URL? { taskDescription.map { FilePlace(text: $0).file } }

    fileprivate var status: Int { (response as? HTTPURLResponse)?.statusCode ?? 0 }

    /// nil for a success.
    fileprivate func error(of status: Int) -> CallError? {
        (200...299).contains(status)
            ? nil : CallError(.status, "the server answered \(status)", phase: .receivingBody)
    }
}
#endif
