#include "unit/scarce_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::int64_t kOff = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> left{kOff};  // allocations that succeed before the first one that fails
std::atomic<std::int64_t> failures{0};
thread_local int spared = 0;

bool fails() {
    if (left.load(std::memory_order_relaxed) == kOff || spared > 0) return false;
    const std::int64_t before = left.fetch_sub(1);
    return before <= 0 && before > -failures;
}

void* get(std::size_t size, std::size_t alignment = 0) {
    if (fails()) return nullptr;
    if (size == 0) size = 1;
    return alignment == 0 ? std::malloc(size)
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* get_or_throw(std::size_t size, std::size_t alignment = 0) {
    void* const out = get(size, alignment);
    if (out == nullptr) throw std::bad_alloc();
    return out;
}

}  // namespace

void* operator new(std::size_t size) {
    return get_or_throw(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return get_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return get(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace azlock::test {

ScarceMemory::ScarceMemory(std::int64_t first, std::int64_t count) {
    failures = count;
    left = first;
}

ScarceMemory::~ScarceMemory() {
    left = kOff;
}

bool ScarceMemory::reached() {
    return left < 0;
}

ScarceMemory::Spared::Spared() {
    ++spared;
}

ScarceMemory::Spared::~Spared() {
    --spared;
}

}  // namespace azlock::test
