// FinishedFiles: the files that the downloads of one command have written.

import Synchronization
import TsubameCore
import TsubamePlatform

/// Two URLs of one command may name their files alike. A file that the first has just written is not the second's.
package final class FinishedFiles: Sendable {
    private struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
    }

    private let identities = Mutex<Set<Identity>>([])

    package init() {}

    /// Call this before the file gets its name, because other downloads may find it from then on.
    func add(_ status: FileStatus) { identities.withLock { _ = $0.insert(Identity(status)) } }

    func contains(_ status: FileStatus) -> Bool { identities.withLock { $0.contains(Identity(status)) } }
}
