// Measure: clocks, processor time, percentiles, and the one output line.

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

func usage() -> (cpuMicroseconds: UInt64, peakKiB: Int) {
    var usage = rusage()
    // RUSAGE_SELF, which Glibc declares with another type than getrusage takes.
    getrusage(0, &usage)
    let cpu =
        UInt64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        + UInt64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    return (cpu, Int(usage.ru_maxrss))
}

/// Memory of this process in KiB, what was freed given back first.
func residentKiB() -> Int {
    #if canImport(Glibc)
    malloc_trim(0)
    #endif
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024 : 0
}

/// The latencies of one worker, in tenths of a microsecond.
// One writer each, read after the worker has ended.
final class Latencies: @unchecked Sendable {
    private(set) var values: [UInt32] = []

    init(_ capacity: Int) { values.reserveCapacity(capacity) }

    func add(_ nanoseconds: UInt64) { values.append(UInt32(truncatingIfNeeded: nanoseconds / 100)) }
}

struct Measurement {
    let tag: String
    let count: Int
    let bytes: Int
    private let startedAt = nanoseconds()
    private let cpuAtStart = usage().cpuMicroseconds

    init(_ tag: String, count: Int, bytes: Int = 0) {
        self.tag = tag
        self.count = count
        self.bytes = bytes
    }

    /// tag, wall s, requests/s, CPU µs/request, peak KiB, p50 µs, p99 µs, MB/s, CPU s; tab separated.
    /// - Parameter middle: printed in place of p50.
    func report(_ latencies: [Latencies], middle: Double? = nil) {
        let wall = Double(nanoseconds() - startedAt) / 1e9
        let (cpuNow, peak) = usage()
        let cpu = Double(cpuNow - cpuAtStart)
        let sorted = latencies.flatMap(\.values).sorted()
        func percentile(_ percent: Int) -> Double {
            sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, sorted.count * percent / 100)]) / 10
        }
        func rounded(_ value: Double, _ places: Double) -> String { "\((value * places).rounded() / places)" }
        print(
            [
                tag, rounded(wall, 1000), rounded(Double(count) / wall, 1), rounded(cpu / Double(count), 100),
                "\(peak)",
                rounded(middle ?? percentile(50), 10), rounded(percentile(99), 10),
                rounded(Double(bytes) / 1e6 / wall, 1),
                rounded(cpu / 1e6, 1000),
            ].joined(separator: "\t"))
    }
}
