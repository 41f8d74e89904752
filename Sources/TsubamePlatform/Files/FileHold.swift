// FileHold: keeps other downloads and caches from a file for as long as it is written.

internal import Synchronization

/// A claim on an open file, which lasts until ``release(_:)`` or ``close(_:)``.
///
/// On most systems it is an advisory lock (`flock(2)`). Other processes see it, and it ends with the process. An app on iOS,
/// tvOS, watchOS or visionOS must hold no such lock on a file of an app group while it is suspended. Otherwise the system
/// ends the app (0xDEAD10CC). There only this process sees the claim.
package enum FileHold {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS) || os(WASI)
    private static let files = OwnFileHolds()

    /// - Parameter waits: whether to wait for another holder.
    /// - Returns: 0, `EWOULDBLOCK` if the file is held already, or another `errno` on a file system without locks.
    package static func take(_ descriptor: Int32, waits: Bool = false) -> Int32 {
        while !files.take(descriptor) {
            guard waits else { return EWOULDBLOCK }
            usleep(500)
        }
        return 0
    }

    package static func release(_ descriptor: Int32) { files.release(descriptor) }
    #else
    /// - Parameter waits: whether to wait for another holder.
    /// - Returns: 0, `EWOULDBLOCK` if the file is held already, or another `errno` on a file system without locks.
    package static func take(_ descriptor: Int32, waits: Bool = false) -> Int32 {
        flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    }

    package static func release(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }
    #endif

    /// Releases the file and closes its descriptor.
    package static func close(_ descriptor: Int32) {
        release(descriptor)
        SystemCall.close(descriptor)
    }
}

/// The files that this process holds.
package final class OwnFileHolds: Sendable {
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The descriptor that holds each file.
    private let holders = Mutex<[Identity: Int32]>([:])

    package init() {}

    /// - Returns: whether the descriptor holds its file now.
    package func take(_ descriptor: Int32) -> Bool {
        guard let identity = Self.identity(descriptor) else { return true }
        return holders.withLock { holders in
            if let holder = holders[identity] { return holder == descriptor }
            holders[identity] = descriptor
            return true
        }
    }

    /// Releases the file, if this descriptor holds it.
    package func release(_ descriptor: Int32) {
        guard let identity = Self.identity(descriptor) else { return }
        holders.withLock { holders in
            if holders[identity] == descriptor { holders[identity] = nil }
        }
    }

    private static func identity(_ descriptor: Int32) -> Identity? {
        FileStatus(of: descriptor).map { Identity(device: $0.device, inode: $0.inode) }
    }
}
