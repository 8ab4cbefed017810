/* In place of Windows' atlstr.h, which brings windows.h with it. */
#pragma once
#include "windows.h"
