// ProcessState: what this process holds, as Linux counts it.

import Foundation

enum ProcessState {
    /// The resident memory in bytes.
    static var memory: Int { field("VmRSS") }
    /// The largest resident memory so far, in bytes.
    static var peakMemory: Int { field("VmHWM") }
    static var threads: Int { field("Threads") }
    /// The open descriptors, without the one that counts them.
    static var descriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0) - 1
    }

    /// A number of `/proc/self/status`; sizes are in bytes. 0 where there is no such file.
    private static func field(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") })
        else { return 0 }
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count > 1, let number = Int(words[1]) else { return 0 }
        return words.last == "kB" ? number << 10 : number
    }
}
