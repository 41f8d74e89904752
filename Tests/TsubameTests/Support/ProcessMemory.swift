// ProcessMemory: the memory that this process uses. Only this file knows where the system reports it.

import Foundation

enum ProcessMemory {
    /// The resident bytes, where `/proc` reports them; otherwise 0, on which no bound on growth can fail.
    static var resident: Int? { field(1) }

    /// The reserved bytes, used or not; otherwise 0, too.
    static var reserved: Int? { field(0) }

    private static func field(_ index: Int) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.indices.contains(index) ? Int(fields[index]).map { $0 * 4096 } : nil
    }
}
