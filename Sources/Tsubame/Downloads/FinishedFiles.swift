// FinishedFiles: what has been downloaded meanwhile, and was not there before.

import Synchronization
import TsubameCore

/// Two URLs of one command may name files alike: what the first has just written is not taken for the second's.
package final class FinishedFiles: Sendable {
    private struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
    }

    private let identities = Mutex<Set<Identity>>([])

    package init() {}

    /// To be called before the file has its name: from then on others may find it.
    func add(_ status: FileStatus) { identities.withLock { _ = $0.insert(Identity(status)) } }

    func contains(_ status: FileStatus) -> Bool { identities.withLock { $0.contains(Identity(status)) } }
}
