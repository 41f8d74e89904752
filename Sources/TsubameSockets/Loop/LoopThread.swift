// LoopThread: the thread of an event loop, and the loop of the current thread.

import TsubamePlatform

enum LoopThread {
    /// The key of each thread's loop, which lives as long as the process; nil if the process has no key left.
    static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The loop whose thread this is; nil on any other thread.
    @inline(__always)
    static var current: UnsafeMutableRawPointer? { key.flatMap { pthread_getspecific($0) } }

    /// Makes another loop that of the current thread.
    /// - Returns: the one before.
    static func exchange(_ loop: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let key else { return nil }
        defer { pthread_setspecific(key, loop) }
        return pthread_getspecific(key)
    }

    static func enter(_ loop: EventLoop) {
        // No other thread waits for this one to end.
        pthread_detach(pthread_self())
        if let key { pthread_setspecific(key, Unmanaged.passUnretained(loop).toOpaque()) }
    }

    /// Starts a thread that runs the loop, and keeps the loop until it ends.
    /// - Returns: 0, or the reason why there is no thread.
    static func start(_ loop: EventLoop) -> Int32 {
        let argument = Unmanaged.passRetained(loop).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument)
        #else
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, argument)
        #endif
        if code != 0 { Unmanaged<EventLoop>.fromOpaque(argument).release() }
        return code
    }
}
