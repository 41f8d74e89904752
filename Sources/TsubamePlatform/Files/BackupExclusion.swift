// BackupExclusion: keeps files that can be made again out of the device's backups.

#if canImport(Darwin)
internal import Foundation
#endif

package enum BackupExclusion {
    /// Marks a file or a folder on Apple's systems. A failure has no consequence but the size of the backup.
    package static func set(_ isExcluded: Bool, _ path: String) {
        #if canImport(Darwin)
        var values = URLResourceValues()
        values.isExcludedFromBackup = isExcluded
        var file = URL(filePath: path)
        try? file.setResourceValues(values)
        #endif
    }
}
